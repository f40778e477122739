/* Unconditional jumps: direct forward, through a register, through memory, and a computed goto that
   a table sends to three places. */
#include "edge.h"
FUNC(_start)
        jmp     .Lfirst
        ud2
.Lfirst:
        leaq    .Lsecond(%rip), %rax
        jmp     *%rax
        ud2
.Lsecond:
        jmp     *.Lwhere(%rip)
        ud2
.Lthird:
        xorl    %ebx, %ebx
.Ldispatch:
        leaq    .Ltable(%rip), %rdx
        movq    (%rdx,%rbx,8), %rax
        addl    $1, %ebx
        jmp     *%rax
.La:
        nop
        jmp     .Ldispatch
.Lb:
        jmp     .Ldispatch
.Lc:
        EXIT
END(_start)
        .data
.Lwhere: .quad  .Lthird
.Ltable: .quad  .La, .Lb, .La, .Lc
