/* A system call that a timer interrupts and that is made again: the instruction executes twice.  The handler, which
   came in between, returns to the instruction itself, and is where the byte to be read comes from. */
#include "life.h"
FUNC(_start)
        HANDLE(SIGALRM, action)
        movl    $22, %eax
        leaq    pipe(%rip), %rdi
        syscall
        movl    $38, %eax
        xorl    %edi, %edi
        leaq    timer(%rip), %rsi
        xorl    %edx, %edx
        syscall
        xorl    %eax, %eax
        movl    pipe(%rip), %edi
        leaq    buffer(%rip), %rsi
        movl    $1, %edx
        syscall
        cmpl    $1, %eax
        jne     .Lbad
        EXIT
.Lbad:
        ud2
END(_start)
FUNC(handler)
        movl    $1, %eax
        movl    pipe + 4(%rip), %edi
        leaq    buffer(%rip), %rsi
        movl    $1, %edx
        syscall
        ret
END(handler)
RESTORE
ACTION(action, handler, SA_RESTART)
timer:  .quad   0, 0, 0, 500000
pipe:   .quad   0
buffer: .quad   0
