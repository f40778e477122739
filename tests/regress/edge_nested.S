/* Loops: an inner one in an outer one, and in the inner one two back edges to one head. */
#include "edge.h"
FUNC(_start)
        movl    $2, %ebx
.Louter:
        movl    $4, %ecx
.Linner:
        subl    $1, %ecx
        testl   $1, %ecx
        jnz     .Linner
        testl   %ecx, %ecx
        jnz     .Linner
        subl    $1, %ebx
        jnz     .Louter
        EXIT
END(_start)
