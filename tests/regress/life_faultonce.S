/* The same instruction faults at one pass of four: the others go on through it. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGSEGV, action)
        leaq    page(%rip), %rbx
        movl    $4, %r12d
.Lagain:
        nop
        addl    $1, (%rbx)
        nop
        subl    $1, %r12d
        cmpl    $2, %r12d
        jne     .Lon
        PROTECT(0)
.Lon:
        testl   %r12d, %r12d
        jnz     .Lagain
        EXIT
END(_start)
FUNC(handler)
        PROTECT(3)
        ret
END(handler)
RESTORE
ACTION(action, handler, 0)
PAGE(page)
