/* Instructions that only 32-bit code has, or that differ in it.  A call to the next instruction and the pop there, which are
   one instruction for Valgrind; opcodes 40 to 4f, which are no prefixes; loops by ecx; REP with counts from 0.
   All kinds of control transfers; system calls by int; x87, MMX and SSE, so that hosts see values of all widths. */
#include "../../regress/edge.h"
#undef EXIT
FUNC(_start)
        call    .Lhere
.Lhere: popl    %ebx
        addl    $_GLOBAL_OFFSET_TABLE_ + (. - .Lhere), %ebx
        xorl    %eax, %eax
        incl    %eax                    /* 40 */
        decl    %edi                    /* 4f */
        .byte   0x66, 0x41              /* incw %cx */
/* Counters. */
        xorl    %ecx, %ecx
        jecxz   .Lzero
        ud2
.Lzero: movl    $3, %ecx
.Lloop: loop    .Lloop
        movl    $5, %ecx
        cmpl    $5, %ecx
.Lne:   loopne  .Lout
.Lout:  movl    $2, %ecx
        testl   %eax, %eax
.Lwhile:
        loope   .Lwhile
/* REP. */
        leal    buffer, %edi
        leal    text1, %esi
        xorl    %ecx, %ecx
        rep movsb
        movl    one, %ecx
        rep stosl
        movl    five, %ecx
        rep movsw
        leal    text1, %esi
        leal    text2, %edi
        movl    five, %ecx
        repe cmpsb
        leal    text1, %edi
        movb    $'c', %al
        movl    five, %ecx
        repne scasb
        movl    $3, %ecx
        rep lodsb
/* Control. */
        call    plain
        call    *pointer
        movl    $plain, %edx
        call    *%edx
        pushl   $3
        pushl   $4
        call    popping
        jmp     *table + 4
        ud2
.Lback: pushl   $.Lafter
        ret
        ud2
.Lafter:
        call    bare
        pushal
        popal
        xorl    %eax, %eax              /* VEX would drop its load, and those of what sets flags only */
        leal    text1, %esi
        leal    text2, %edi
        cmpsb
        scasl
        cmpl    %eax, %eax
        pushl   %ebp
        movl    %esp, %ebp
        leave
/* Wide values. */
        movl    $0x12345678, %eax
        mull    five
        divl    five
        cltd
        idivl   five
        leal    wide, %esi
        movl    $1, %eax
        movl    $2, %edx
        movl    $3, %ebx
        movl    $4, %ecx
        lock cmpxchg8b (%esi)
        lock cmpxchg8b (%esi)
        fldl    (%esi)
        fld1
        faddp
        fldt    ten
        fstpt   ten
        fstpl   (%esi)
        fildll  (%esi)
        fistpll (%esi)
        movq    (%esi), %mm0
        paddd   %mm0, %mm0
        movq    %mm0, (%esi)
        emms
        movups  (%esi), %xmm1
        paddq   %xmm1, %xmm1
        cvtsi2sdl five, %xmm2
        sqrtsd  %xmm2, %xmm3
        movups  %xmm1, (%esi)
        aaa
        aas
        daa
        das
        aam
        aad
        .byte   0xd6                    /* salc */
        mov     %gs, %ecx
        mov     %ecx, %gs
        bt      %eax, %edx
        btc     %eax, %edx
        bswap   %eax
        shldl   $3, %eax, %edx
        cmovel  %eax, %ecx
        movl    $text1, %ebx
        movl    $2, %eax
        xlat
/* System calls: one that returns a number, one whose arguments are in all registers, the last. */
        movl    $20, %eax               /* getpid */
        int     $0x80
        movl    $192, %eax              /* mmap2 */
        xorl    %ebx, %ebx
        movl    $4096, %ecx
        movl    $3, %edx
        movl    $0x22, %esi
        movl    $-1, %edi
        xorl    %ebp, %ebp
        int     $0x80
        movl    %eax, (%eax)
        movl    $252, %eax              /* exit_group */
        xorl    %ebx, %ebx
        int     $0x80
END(_start)
FUNC(plain)
        pause
        rep ret
END(plain)
FUNC(popping)
        movl    4(%esp), %eax
        addl    8(%esp), %eax
        ret     $8
END(popping)
FUNC(bare)
        .byte   0x66, 0x90
        jmp     plain                   /* a tail call */
END(bare)
FUNC(elsewhere)
        jmp     .Lback
END(elsewhere)
        .data
one:    .long   1
five:   .long   5
wide:   .quad   7, 11
ten:    .tfloat 1.25
        .balign 4
pointer:
        .long   plain
table:  .long   plain, elsewhere
text1:  .ascii  "abcdefghijkl"
text2:  .ascii  "abcXefghijkl"
buffer: .skip   64
