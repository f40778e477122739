/* A system call that a timer interrupts and that is not made again: two context changes round it. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGALRM, action)
        movl    $38, %eax
        xorl    %edi, %edi
        leaq    timer(%rip), %rsi
        xorl    %edx, %edx
        syscall
        movl    $35, %eax
        leaq    minute(%rip), %rdi
        xorl    %esi, %esi
        syscall
        cmpl    $-4, %eax
        jne     .Lbad
        EXIT
.Lbad:
        ud2
END(_start)
FUNC(handler)
        nop
        ret
END(handler)
RESTORE
ACTION(action, handler, 0)
timer:  .quad   0, 0, 0, 500000
minute: .quad   60, 0
