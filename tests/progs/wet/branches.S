/* Every kind of branch, to each side, and operands of every kind: see tests/cmd/export/champsim.t.  It runs without a C
   library, so that all of it is known. */

   .section .note.GNU-stack, "", @progbits
   .data
table:
   .quad by_table, called, called_too
numbers:
   .quad 1, 2, 3, 4
   .space 64
real:
   .double 1.5, 2.5

   .text
   .globl _start
_start:
   mov  $7, %ebx
again:
   test $1, %bl
   jz   even                            # taken and not, and turned round by Valgrind in one of the two forms
   add  $1, %rdx
even:
   test $1, %bl
   jnz  odd
   sub  $1, %rdx
odd:
   cmp  $3, %rbx
   jle  few
   mov  numbers(%rip), %rax
few:
   call direct
   lea  called(%rip), %rax
   call *%rax
   call *table+8(%rip)
   lea  table(%rip), %rsi
   mov  $2, %ecx
   call *(%rsi,%rcx,8)
   push $0
   lea  called(%rip), %rax
   mov  %rax, (%rsp)
   call *(%rsp)
   pop  %rax
   push $5
   call with_argument
   lea  by_register(%rip), %r11
   jmp  *%r11
by_register:
   jmp  *table(%rip)
by_table:
   lea  by_stack(%rip), %rax
   push %rax
   jmp  *(%rsp)
by_stack:
   pop  %rax
   jmp  over
   ud2
over:
   mov  $3, %ecx
1: loop 1b
   mov  $3, %ecx
2: cmp  $2, %ecx
   loopne 2b
   mov  $2, %ecx
3: cmp  %ecx, %ecx
   loope 3b
   jrcxz 4f
   add  $9, %rdx
4: mov  $1, %ecx
   jrcxz 5f
   add  $9, %rdx
5: lea  numbers(%rip), %rsi
   lea  numbers+32(%rip), %rdi
   mov  $5, %ecx
   rep  movsb
   rep  movsb                           # none is left
   mov  $4, %ecx
   mov  %rsi, %rdi
   repe cmpsb
   mov  $3, %ecx
   rep  stosb
   lea  numbers(%rip), %rsi
   lea  numbers+32(%rip), %rdi
   movsq
   mov  $2, %ecx
   repne scasb
   lodsw
   lea  numbers(%rip), %rsi
   cmovz 8(%rsi), %rax
   cmovnz 16(%rsi), %eax
   mul  %rbx
   mulq 8(%rsi)
   imul $3, 16(%rsi), %rax
   xor  %edx, %edx
   div  %rbx
   add  %rbx, (%rsi)
   lock xadd %rbx, 40(%rsi)
   lock xadd %rbx, 40(%rsi)
   mov  $7, %eax
   lock cmpxchg %rdx, 48(%rsi)
   xchg %rdx, 56(%rsi)
   adc  %al, 1(%rsi,%rcx,2)
   push 8(%rsi)
   pop  40(%rsi)
   movdqu (%rsi), %xmm1
   paddd %xmm1, %xmm2
   addpd %xmm2, %xmm3
   movdqu %xmm3, 32(%rsi)
   cvtsi2sd 8(%rsi), %xmm4
   fldl real(%rip)
   faddl real+8(%rip)
   fstpl 40(%rsi)
   cpuid
   mov  $39, %eax                       # getpid
   syscall
   mov  $7, %eax
   sub  $1, %r12
   enter $16, $0
   leave
   std
   cld
   dec  %r13
   mov  -7(%rsi,%rax), %bl
   lea  left(%rip), %rsi
   decq (%rsi)
   mov  (%rsi), %rbx
   jg   again
   mov  $60, %eax
   xor  %edi, %edi
   syscall

direct:
   ret
called:
   nop
   ret
called_too:
   jmp  called
with_argument:
   mov  8(%rsp), %rax
   ret  $8

   .data
left:
   .quad 9
