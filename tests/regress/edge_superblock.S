/* Instructions at which Valgrind ends a superblock although control goes straight on: no block ends. */
/* pause yields, clflush may drop translations, cpuid is a call to a helper. */
#include "edge.h"
FUNC(_start)
        leaq    word(%rip), %rdx
        pause
        nop
        clflush (%rdx)
        nop
        xorl    %eax, %eax
        cpuid
        pause
        EXIT
END(_start)
        .data
        .balign 64
word:   .skip 64
