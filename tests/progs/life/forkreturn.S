/* Forks in a function, so that in the child only that function's return leads into the loop.  Another return leads to a
   block of the loop that has a lower address. */
        .text
        .globl _start
        .type _start, @function
_start: movl    $5, %ebx
        jmp     2f
0:      call    leaf
        decl    %ebx
        jnz     1f
        movl    $60, %eax
        xorl    %edi, %edi
        syscall
1:      nop
        jmp     0b
2:      call    forks
        jmp     1b
        .size _start, . - _start

        .type leaf, @function
leaf:   ret
        .size leaf, . - leaf

        .type forks, @function
forks:  movl    $57, %eax
        syscall
        ret
        .size forks, . - forks
