/* A raised signal, twice.  The handler comes in place of the return from the system call, so the step past the call is
   not made.  There are only two context changes with their bypass. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGUSR1, action)
        GETPID
        movl    $2, %r12d
.Lagain:
        RAISE(SIGUSR1)
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
