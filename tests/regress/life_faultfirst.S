/* Faults of the first instruction of a block, reached by a jump, by a call and by a return.  The thread's position is
   still where it came from, and the step to the instruction counts once. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGSEGV, action)
        leaq    page(%rip), %rbx
        movl    $2, %r12d
.Lagain:
        PROTECT(0)
        jmp     .Ljumped
        ud2
.Ljumped:
        addl    $1, (%rbx)
        PROTECT(0)
        call    called
        addl    $1, (%rbx)
        subl    $1, %r12d
        jnz     .Lagain
        EXIT
END(_start)
FUNC(called)
        addl    $1, (%rbx)
        PROTECT(0)
        ret
END(called)
FUNC(handler)
        PROTECT(3)
        ret
END(handler)
RESTORE
ACTION(action, handler, 0)
PAGE(page)
