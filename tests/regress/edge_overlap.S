/* A jump past a lock prefix.  The instruction with the prefix and the one without it share bytes, and so
   do their blocks; both lead to what follows, which is a block for that reason. */
#include "edge.h"
FUNC(_start)
        leaq    word(%rip), %rdx
        xorl    %ecx, %ecx
.Lagain:
        testl   %ecx, %ecx
        jnz     .Lwith + 1
        nop
.Lwith:
        lock addl $1, (%rdx)
        nop
        addl    $1, %ecx
        cmpl    $3, %ecx
        jne     .Lagain
        EXIT
END(_start)
        .data
word:   .long 0
