/* SIGFPE in the middle of a superblock, and at the first instruction of one; the handler puts another divisor into
   the saved context. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGFPE, action)
        xorl    %ecx, %ecx
        movl    $6, %eax
        xorl    %edx, %edx
        divl    %ecx
        xorl    %ecx, %ecx
        xorl    %edx, %edx
        jmp     .Lfirst
        ud2
.Lfirst:
        divl    %ecx
        nop
        EXIT
END(_start)
FUNC(handler)
        movq    $3, SAVED_RCX
        ret
END(handler)
RESTORE
ACTION(action, handler, SA_SIGINFO)
