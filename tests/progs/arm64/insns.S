/* All kinds of control transfers in A64.  Conditional branches of all forms, taken and not, also to the next instruction.
   Calls, direct and through registers; one returns by a register other than x30.  A table of jumps.  Literal pools between
   code.  Exclusive loads and stores in loops, of all sizes.  Atomic operations.  A system call.
   Made for an implementation with version 8.0 of the architecture. */
        .macro  FUNC name
        .text
        .p2align 4
        .globl  \name
        .type   \name, %function
\name:
        .endm

FUNC _start
        mov     x29, xzr
        mov     x30, xzr
/* b.cond: each condition, with flags that hold for it and with others. */
        mov     x19, #0
.Lflags:
        adr     x0, .Lvalues
        ldr     w1, [x0, x19, lsl #2]
        msr     nzcv, x1
        .irp    cond, eq, ne, cs, cc, mi, pl, vs, vc, hi, ls, ge, lt, gt, le, al
        b.\cond .Lis_\cond
        add     x2, x2, #1
.Lis_\cond:
        .endr
        b.eq    .Lsame                  /* taken or not, it comes to the same place */
.Lsame: add     x19, x19, #1
        cmp     x19, #5
        b.ne    .Lflags
/* cbz and its like; tbz with a low bit and a high one. */
        mov     x3, #4
.Lcount:
        cbz     x3, .Lzero
        cbnz    w3, .Lnonzero
        udf     #0
.Lnonzero:
        tbz     w3, #0, .Leven
        add     x2, x2, #2
.Leven: tbnz    x3, #33, .Lzero
        sub     x3, x3, #1
        b       .Lcount
.Lvalues:                               /* data between code */
        .word   0, 0x40000000, 0x80000000, 0x30000000, 0xf0000000
.Lzero:
/* Calls. */
        bl      leaf
        ldr     x4, =leaf               /* a literal pool */
        blr     x4
        bl      middle
        adr     x9, .Lback
        adr     x10, other_link
        br      x10
.Lback: bl      .Lnext                  /* a call to the next instruction */
.Lnext: mov     x5, #0
.Ltable:
        adr     x6, .Lcases
        ldrsw   x7, [x6, x5, lsl #2]
        add     x6, x6, x7
        br      x6
.Lcases:
        .word   .Lcase0 - .Lcases, .Lcase1 - .Lcases, .Lcase2 - .Lcases
.Lcase0:
        nop
.Lcase1:
        add     x5, x5, #1
        b       .Ltable
.Lcase2:
        mov     x0, #6
        bl      fib
        adr     x8, .Ltail
        mov     x30, x8
        b       leaf                    /* returns there */
.Ltail:
/* Exclusive accesses, as compilers have them. */
        ldr     x11, =words
        mov     x12, #3
.Lagain:
        .irp    size, b, h
1:      ldaxr\size w13, [x11]
        add     w13, w13, #1
        stlxr\size w14, w13, [x11]
        cbnz    w14, 1b
        .endr
1:      ldxr    w13, [x11]
        add     w13, w13, #1
        stxr    w14, w13, [x11]
        cbnz    w14, 1b
1:      ldaxr   x13, [x11]
        add     x13, x13, #1
        stlxr   w14, x13, [x11]
        cbnz    w14, 1b
1:      ldaxp   x13, x15, [x11]
        add     x15, x15, x13
        stlxp   w14, x13, x15, [x11]
        cbnz    w14, 1b
        clrex
        stxr    w14, x13, [x11]         /* fails */
        cbz     w14, .Lwrong
        ldxr    x13, [x11]
        cmp     x13, x12
        b.eq    .Lleft                  /* leaves without a store */
        stxr    w14, x13, [x11]
.Lleft: subs    x12, x12, #1
        b.ne    .Lagain
        dmb     ish
        ldar    x13, [x11]
        stlr    x13, [x11]
/* Conditions within instructions, which hand on nothing. */
        csel    x0, x1, x2, eq
        ccmp    x0, #3, #4, ne
        cset    x0, lt
/* Vectors. */
        ldr     q0, =0x0123456789abcdef0011223344556677
        add     v1.16b, v0.16b, v0.16b
        fmov    d2, #1.5
        fadd    d3, d2, d2
        fcmp    d3, d2
        b.gt    .Lgreater
        udf     #1
.Lgreater:
        ld1     {v0.16b, v1.16b}, [x11]
        st4     {v0.8b - v3.8b}, [x11]
        ldp     x0, x1, [x11], #16
        str     x0, [x11, #-16]!
/* System calls. */
        mov     x8, #172                /* getpid */
        svc     #0
        mov     x8, #172
        svc     #0
        mov     x0, #0
        mov     x8, #94                 /* exit_group */
        svc     #0
.Lwrong:
        udf     #2
        .ltorg

FUNC leaf
        ret

FUNC middle
        stp     x29, x30, [sp, #-16]!
        mov     x29, sp
        bl      leaf
        ldp     x29, x30, [sp], #16
        ret

FUNC other_link
        ret     x9

/* Calls itself. */
FUNC fib
        cmp     x0, #2
        b.lt    1f
        stp     x19, x30, [sp, #-16]!
        str     x0, [sp, #-16]!
        sub     x0, x0, #1
        bl      fib
        mov     x19, x0
        ldr     x0, [sp], #16
        sub     x0, x0, #2
        bl      fib
        add     x0, x0, x19
        ldp     x19, x30, [sp], #16
1:      ret

        .data
        .p2align 4
words:  .quad   0, 0, 0, 0, 0, 0, 0, 0
