/* A jump back into the middle of what had run as one block: in the end there are two. */
/* The second jump lands on the last instruction of a block. */
#include "edge.h"
FUNC(_start)
        movl    $1, %ecx
        nop
        nop
.Lmiddle:
        nop
        subl    $1, %ecx
.Llast:
        jz      .Lmiddle
        cmpl    $-3, %ecx
        jl      .Ldone
        subl    $1, %ecx
        testl   %ecx, %ecx
        jmp     .Llast
.Ldone:
        EXIT
END(_start)
