/* Branches whose outcome follows from constants in the same superblock, so that an optimiser may drop them: */
/* they end their blocks as if it did not. */
#include "edge.h"
FUNC(_start)
        xorl    %eax, %eax
        jz      .Ltaken
        ud2
.Ltaken:
        xorl    %eax, %eax
        jnz     .Lnever
        movl    $5, %ecx
        cmpl    $5, %ecx
        je      .Lout
.Lnever:
        ud2
.Lout:
        xorl    %ecx, %ecx
        jrcxz   .Ldone
        ud2
.Ldone:
        EXIT
END(_start)
