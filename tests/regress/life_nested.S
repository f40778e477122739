/* A handler that raises another signal: each context change has its own return and bypass. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGUSR1, outer_action)
        HANDLE(SIGUSR2, inner_action)
        GETPID
        RAISE(SIGUSR1)
        RAISE(SIGUSR1)
        EXIT
END(_start)
FUNC(outer)
        RAISE(SIGUSR2)
        nop
        ret
END(outer)
FUNC(inner)
        ret
END(inner)
RESTORE
ACTION(outer_action, outer, 0)
ACTION(inner_action, inner, 0)
