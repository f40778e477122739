/* A signal sent at two of three passes of one system call.  The pair has a counted edge then, which stands: no bypass. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGUSR1, action)
        GETPID
        movl    $3, %r12d
.Lagain:
        xorl    %esi, %esi
        cmpl    $2, %r12d
        je      .Lnone
        movl    $SIGUSR1, %esi
.Lnone:
        movl    $62, %eax
        movl    %ebp, %edi
        syscall
        subl    $1, %r12d
        jnz     .Lagain
        EXIT
END(_start)
FUNC(handler)
        ret
END(handler)
RESTORE
ACTION(action, handler, 0)
