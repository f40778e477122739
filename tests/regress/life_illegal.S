/* SIGILL: ud2 never completes, so it is in no block.  The handler goes on behind it.  The second is the first
   instruction of its superblock: what was left is the jump to it, which led nowhere. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGILL, action)
        movl    $2, %r12d
.Lagain:
        nop
        nop
        ud2
        nop
        jmp     .Lfirst
        nop
.Lfirst:
        ud2
        subl    $1, %r12d
        jnz     .Lagain
        EXIT
END(_start)
FUNC(handler)
        addq    $2, SAVED_RIP
        ret
END(handler)
RESTORE
ACTION(action, handler, SA_SIGINFO)
