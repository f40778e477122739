/* The branches that test a counter register.  Valgrind's translation goes on behind them in the same superblock, so only
   the code shows that they end a block.  One is always taken, so the rest of its superblock never ran.  The last two are
   never taken, and nothing jumps behind them.  */
#include "edge.h"
FUNC(_start)
        movl    $4, %ecx
.Lagain:
        nop
        loop    .Lagain
        movl    $2, %ecx
.Lmore:
        jecxz   .Lout
        subl    $1, %ecx
        jmp     .Lmore
.Lout:
        addl    $3, %ecx
.Lequal:
        cmpl    %eax, %eax
        loope   .Lequal
        jrcxz   .Lover
        addl    $1, %eax
        subl    $1, %ebx
        movl    (%rsp), %edx
        jmp     .Lout
.Lover:
        movl    $1, %ecx
        jrcxz   .Lequal
        nop
        loop    .Lequal
        nop
        nop
        EXIT
END(_start)
