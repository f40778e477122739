/* REP instructions are blocks of their own.  Executed n+1 times for n elements where the counter ends them: */
/* 0, 1 and 5; a comparison leaves early, without a last test of the counter.  The counts of the last are constants. */
/* rep ret and pause carry the same prefix byte and repeat nothing. */
#include "edge.h"
FUNC(_start)
        leaq    buffer(%rip), %rdi
        xorl    %ecx, %ecx
        rep stosb
        movl    $1, %ecx
        rep stosb
        leaq    five(%rip), %rcx
        movl    (%rcx), %ecx
        rep stosb
        leaq    text1(%rip), %rsi
        leaq    text2(%rip), %rdi
        movl    $8, %ecx
        repe cmpsb
        movl    $3, %ecx
        rep stosl
        call    f
        EXIT
END(_start)
FUNC(f)
        pause
        rep ret
END(f)
        .data
five:   .long 5
buffer: .skip 64
text1:  .ascii "abcdefgh"
text2:  .ascii "abcXefgh"
        .skip 64
