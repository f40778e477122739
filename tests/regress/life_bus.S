/* SIGBUS: memory mapped from a file that has not that much.  The handler makes it longer. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGBUS, action)
        movl    $319, %eax
        leaq    name(%rip), %rdi
        xorl    %esi, %esi
        syscall
        movl    %eax, %r12d
        movl    $9, %eax
        xorl    %edi, %edi
        movl    $4096, %esi
        movl    $3, %edx
        movl    $1, %r10d
        movl    %r12d, %r8d
        xorl    %r9d, %r9d
        syscall
        movq    %rax, %rbx
        addl    $1, (%rbx)
        nop
        EXIT
END(_start)
FUNC(handler)
        movl    $77, %eax
        movl    %r12d, %edi
        movl    $4096, %esi
        syscall
        ret
END(handler)
RESTORE
ACTION(action, handler, 0)
name:   .asciz  "short"
