/* A conditional branch taken twice and passed once, one never taken, one always taken. */
/* All three end their block, whichever way they go. */
#include "edge.h"
FUNC(_start)
        movl    $3, %ecx
.Lagain:
        subl    $1, %ecx
        jnz     .Lagain
        testl   %ecx, %ecx
        jnz     .Lnever
        movl    %ecx, %eax
        jrcxz   .Ldone
.Lnever:
        ud2
.Ldone:
        EXIT
END(_start)
