/* Two signals that were blocked come at once: the second handler is entered when the first is about to begin, or has
   just returned.  Whichever it is, both run once and one of them returns to behind the system call. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGUSR1, action1)
        HANDLE(SIGUSR2, action2)
        GETPID
        movl    $14, %eax
        movl    $2, %edi
        leaq    all(%rip), %rsi
        xorl    %edx, %edx
        movl    $8, %r10d
        syscall
        RAISE(SIGUSR1)
        RAISE(SIGUSR2)
        movl    $14, %eax
        movl    $2, %edi
        leaq    none(%rip), %rsi
        xorl    %edx, %edx
        syscall
        EXIT
END(_start)
FUNC(handler1)
        nop
        ret
END(handler1)
FUNC(handler2)
        nop
        nop
        ret
END(handler2)
RESTORE
ACTION(action1, handler1, 0)
ACTION(action2, handler2, 0)
all:    .quad   -1
none:   .quad   0
