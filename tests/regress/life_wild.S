/* A call to an address without code.  It completes, but leads nowhere; the handler lets it return. */
/* The next call leads to a function. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGSEGV, action)
        movl    $2, %r12d
        xorl    %ebx, %ebx
.Lagain:
        nop
        call    *%rbx
        leaq    function(%rip), %rbx
        subl    $1, %r12d
        jnz     .Lagain
        EXIT
END(_start)
FUNC(function)
        ret
END(function)
FUNC(handler)
        leaq    function(%rip), %rax
        movq    %rax, SAVED_RIP
        ret
END(handler)
RESTORE
ACTION(action, handler, SA_SIGINFO)
