/* A handler that edits the context to go on elsewhere: what faulted never completes, and what is behind it never runs. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGSEGV, action)
        movl    $3, %r12d
        xorl    %ebx, %ebx
.Lagain:
        nop
        nop
        addl    $1, (%rbx)
        nop
        ud2
.Lelsewhere:
        nop
        subl    $1, %r12d
        jnz     .Lagain
        EXIT
END(_start)
FUNC(handler)
        leaq    .Lelsewhere(%rip), %rax
        movq    %rax, SAVED_RIP
        ret
END(handler)
RESTORE
ACTION(action, handler, SA_SIGINFO)
