/* A fault in a handler, of a signal that is blocked there: the process dies of it. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGSEGV, action)
        xorl    %ebx, %ebx
        addl    $1, (%rbx)
        EXIT
END(_start)
FUNC(handler)
        nop
        nop
        addl    $1, (%rbx)
        ret
END(handler)
RESTORE
ACTION(action, handler, 0)
