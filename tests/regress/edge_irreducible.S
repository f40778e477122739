/* A cycle with two ways in: neither node dominates the other, so it is no natural loop. */
#include "edge.h"
FUNC(_start)
        movl    $2, %ebx
.Lhead:
        movl    $3, %ecx
        testl   $1, %ebx
        jnz     .Lright
.Lleft:
        subl    $1, %ecx
        js      .Lout
.Lright:
        subl    $1, %ecx
        jns     .Lleft
.Lout:
        subl    $1, %ebx
        jnz     .Lhead
        EXIT
END(_start)
