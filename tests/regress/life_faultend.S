/* Faults of the instruction that ends a superblock: a call and a jump through memory, a return from a stack that cannot
   be read, and a call that cannot be pushed.  A conditional branch cannot fault.  All are repaired and made again. */
#include "life.h"
FUNC(_start)
        movl    $131, %eax
        leaq    altstack(%rip), %rdi
        xorl    %esi, %esi
        syscall
        HANDLE(SIGSEGV, action)
        leaq    page(%rip), %rbx
        leaq    target(%rip), %rax
        movq    %rax, (%rbx)
        leaq    .Lthere(%rip), %rax
        movq    %rax, 8(%rbx)
        leaq    .Lback(%rip), %rax
        movq    %rax, 1024(%rbx)
        PROTECT(0)
        nop
        call    *(%rbx)
        PROTECT(0)
        nop
        jmp     *8(%rbx)
        ud2
.Lthere:
        PROTECT(0)
        leaq    1024(%rbx), %rsp
        ret
        ud2
.Lback:
        PROTECT(0)
        nop
        call    target
        EXIT
END(_start)
FUNC(target)
        ret
END(target)
FUNC(handler)
        PROTECT(3)
        ret
END(handler)
RESTORE
ACTION(action, handler, SA_ONSTACK)
altstack: .quad stack, 0, 16384
        .balign 16
stack:  .skip   16384
PAGE(page)
