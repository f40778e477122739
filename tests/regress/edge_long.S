/* A straight run longer than any superblock is one block all the same; the jump into it makes two. */
#include "edge.h"
FUNC(_start)
        movl    $2, %ebx
        .rept   150
        addl    $1, %eax
        .endr
.Lmiddle:
        .rept   250
        addl    $1, %edx
        .endr
        subl    $1, %ebx
        jnz     .Lmiddle
        EXIT
END(_start)
