/* For tests/oracle/slice_model.py: a function with a part that seldom runs, which has a symbol of its own, as compilers make
   it.  Two branches of the function lead there. */

   .section .note.GNU-stack, "", @progbits
   .data
   .type output, @object
   .size output, 16
output:
   .skip 16
   .text
   .type shared, @function
shared:
   test $1, %bl
   jnz  shared.cold
   incl output(%rip)
   test $2, %bl
   jnz  shared.cold
   incl output(%rip)
.Lend:
   negl output(%rip)
   ret
   .size shared, .-shared

   .type shared.cold, @function
shared.cold:
   incl output+4(%rip)
   jns  .Lend
   add  %ebx, output+4(%rip)
   jmp  .Lend
   .size shared.cold, .-shared.cold

   .globl _start
   .type _start, @function
_start:
   mov  $8, %ebx
.Lagain:
   call shared
   dec  %ebx
   jnz  .Lagain
   mov  $1, %eax
   mov  $1, %edi
   lea  output(%rip), %rsi
   mov  $16, %edx
   syscall
   mov  $60, %eax
   xor  %edi, %edi
   syscall
   .size _start, .-_start
