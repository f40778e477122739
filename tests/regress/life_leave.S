/* Handlers left by a jump, as siglongjmp does, three times, and one that returns after that.  A bypass joins only what
   the one that returned had interrupted with where it returned to. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGUSR1, action)
        HANDLE(SIGUSR2, returning_action)
        GETPID
        movl    $3, %r12d
        movq    %rsp, %r13
.Lagain:
        RAISE(SIGUSR1)
        ud2
.Lresume:
        subl    $1, %r12d
        jnz     .Lagain
        RAISE(SIGUSR2)
        EXIT
END(_start)
FUNC(leaving)
        leaq    .Lresume(%rip), %rax
        movq    %r13, %rsp
        jmp     *%rax
END(leaving)
FUNC(returning)
        ret
END(returning)
RESTORE
ACTION(action, leaving, SA_NODEFER)
ACTION(returning_action, returning, 0)
