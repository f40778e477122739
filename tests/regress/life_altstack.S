/* A handler on an alternate stack, because the stack in use is gone: returning from it brings the old one back. */
#include "life.h"
FUNC(_start)
        movl    $131, %eax
        leaq    altstack(%rip), %rdi
        xorl    %esi, %esi
        syscall
        HANDLE(SIGUSR1, action)
        GETPID
        xorl    %esp, %esp
        RAISE(SIGUSR1)
        testq   %rsp, %rsp
        jnz     .Lbad
        EXIT
.Lbad:
        ud2
END(_start)
FUNC(handler)
        leaq    stack(%rip), %rax
        cmpq    %rax, %rsp
        jb      .Lelsewhere
        ret
.Lelsewhere:
        ud2
END(handler)
RESTORE
ACTION(action, handler, SA_ONSTACK)
altstack: .quad stack, 0, 16384
        .balign 16
stack:  .skip   16384
