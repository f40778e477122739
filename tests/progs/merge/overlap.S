/* With an argument it jumps past the prefix of an instruction: two instructions lead to the code behind. */
        .globl _start
_start: movq (%rsp), %rcx
        leaq word(%rip), %rdx
        cmpl $1, %ecx
        jne .Lwith + 1
        nop
.Lwith: lock addl $1, (%rdx)
        nop
        addl $1, %eax
        movl $60, %eax
        xorl %edi, %edi
        syscall
        .data
word:   .long 0
