/* Branches to the next instruction.  Taken and not taken come to the same place, so there is one edge for the pair, with all
   traversals; it is a FALL_THROUGH, for the next instruction is what was executed either way.  A jump stays a jump.  */
#include "edge.h"
FUNC(_start)
        movl    $3, %ecx
.Lagain:
        subl    $1, %ecx
        jz      .Lnext
.Lnext:
        testl   %ecx, %ecx
        jnz     .Lagain
        jmp     .Lafter
.Lafter:
        EXIT
END(_start)
