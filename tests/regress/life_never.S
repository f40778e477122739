/* A handler that never returns: the thread ends in it. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGSEGV, action)
        xorl    %ebx, %ebx
        nop
        addl    $1, (%rbx)
        ud2
END(_start)
FUNC(handler)
        nop
        EXIT
END(handler)
RESTORE
ACTION(action, handler, 0)
