/* SIGTRAP: int3 completes, unlike what faults; the handler returns to behind it. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGTRAP, action)
        movl    $2, %r12d
.Lagain:
        nop
        int3
        nop
        subl    $1, %r12d
        jnz     .Lagain
        EXIT
END(_start)
FUNC(handler)
        nop
        ret
END(handler)
RESTORE
ACTION(action, handler, 0)
