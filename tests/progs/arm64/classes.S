/* One instruction of each class of A64 that VEX knows, each by itself: see tests/oracle/wet_probe.c, which executes them, and
   tests/arm64/arm64.t.

   A case has a name for what its registers should hold: INT, anything; DBL and FLT, numbers of which all bits matter for a
   result; NOT, one that is executed but not probed.  X19 to X22 and SP are addresses in a buffer, multiples of 64; X23 is
   small, and X28 is not for a case.  What goes elsewhere goes to .+8: the second of the ways back.  */

#define INT 0
#define DBL 1
#define FLT 2
#define NOT 6

   .arch armv8.2-a+crc+crypto

.macro I mode, insn:vararg
   .text
771:
   \insn
772:
   b probe_back
   b probe_back_2
   .section cases, "a"
   .quad 771b, 772b, \mode
.endm

   .section .note.GNU-stack, "", @progbits
   .section cases, "a"
   .globl probe_cases
probe_cases:

/* ---- general registers: arithmetic --------------------------------------------------------------------------------- */

   .irp op, add, adds, sub, subs
   I INT, \op x0, x1, x2
   I INT, \op w0, w1, w2
   I INT, \op x3, x3, x4
   I INT, \op w3, w4, w3
   I INT, \op x0, x1, x1
   I INT, \op w0, w1, w1
   I INT, \op x0, x1, x2, lsl #3
   I INT, \op w0, w1, w2, lsr #7
   I INT, \op x0, x1, x2, asr #63
   I INT, \op x0, x1, w2, uxtb
   I INT, \op x0, x1, w2, uxth #2
   I INT, \op x0, x1, w2, uxtw #1
   I INT, \op x0, x1, x2, uxtx #4
   I INT, \op w0, w1, w2, sxtb
   I INT, \op w0, w1, w2, sxth #3
   I INT, \op x0, x1, w2, sxtw
   I INT, \op x0, x1, #5
   I INT, \op w0, w1, #5
   I INT, \op x0, x1, #1, lsl #12
   I INT, \op x0, sp, #16
   I INT, \op x0, sp, x2
   .endr
   I INT, add sp, sp, #64
   I INT, sub sp, sp, #64
   I INT, add sp, x19, #0
   I INT, mov x0, sp
   I INT, mov sp, x20
   I INT, cmp x1, x2
   I INT, cmp w1, #3
   I INT, cmp sp, x2
   I INT, cmp x5, x5
   I INT, cmn x1, x2
   I INT, cmn w1, #3
   I INT, neg x0, x1
   I INT, neg w0, w1, lsl #4
   I INT, negs x0, x1
   .irp op, adc, adcs, sbc, sbcs
   I INT, \op x0, x1, x2
   I INT, \op w0, w1, w2
   I INT, \op x0, x1, x1
   I INT, \op w0, w1, w1
   I INT, \op x0, x0, xzr
   .endr
   I INT, ngc x0, x1
   I INT, ngcs w0, w1
   .irp op, and, orr, eor, bic, orn, eon, ands, bics
   I INT, \op x0, x1, x2
   I INT, \op w0, w1, w2
   I INT, \op x0, x1, x1
   I INT, \op w0, w1, w1
   I INT, \op x0, x1, x2, lsl #9
   I INT, \op w0, w1, w2, ror #5
   I INT, \op x3, x3, x4, asr #2
   .endr
   .irp op, and, orr, eor, ands
   I INT, \op x0, x1, #0xff00ff00ff00ff
   I INT, \op w0, w1, #0x7
   I INT, \op x0, x1, #0x8000000000000001
   .endr
   I INT, tst x1, x2
   I INT, tst w1, #1
   I INT, tst x1, x1
   I INT, mov x0, x1
   I INT, mov w0, w1
   I INT, mvn x0, x1
   I INT, mvn w0, w1, lsl #3
   I INT, movz x0, #0x1234, lsl #16
   I INT, movz w0, #7
   I INT, movn x0, #0x1234, lsl #32
   I INT, movn w0, #1
   I INT, movk x0, #0x1234
   I INT, movk x0, #0x1234, lsl #48
   I INT, movk w0, #0x1234, lsl #16
   I INT, adr x0, .
   I INT, adrp x0, .

/* ---- bits ---------------------------------------------------------------------------------------------------------- */

   .irp op, lsl, lsr, asr, ror
   I INT, \op x0, x1, #7
   I INT, \op w0, w1, #31
   I INT, \op x0, x1, x2
   I INT, \op w0, w1, w2
   I INT, \op x0, x1, x23
   I INT, \op w0, w1, w23
   I INT, \op x3, x3, x3
   .endr
   .irp op, uxtb, uxth, sxtb, sxth
   I INT, \op w0, w1
   .endr
   .irp op, sxtb, sxth, sxtw
   I INT, \op x0, w1
   .endr
   .irp op, ubfx, sbfx, ubfiz, sbfiz, bfi, bfxil
   I INT, \op x0, x1, #8, #16
   I INT, \op x0, x1, #0, #8
   I INT, \op x0, x1, #3, #40
   I INT, \op w0, w1, #8, #8
   I INT, \op w0, w1, #5, #20
   I INT, \op x0, x1, #32, #32
   .endr
   I INT, bfc x0, #8, #16
   I INT, extr x0, x1, x2, #13
   I INT, extr w0, w1, w2, #9
   I INT, extr x0, x1, x2, #0
   I INT, clz x0, x1
   I INT, clz w0, w1
   I INT, cls x0, x1
   I INT, cls w0, w1
   I INT, rbit x0, x1
   I INT, rbit w0, w1
   I INT, rev x0, x1
   I INT, rev w0, w1
   I INT, rev16 x0, x1
   I INT, rev16 w0, w1
   I INT, rev32 x0, x1

/* ---- multiplication and division ------------------------------------------------------------------------------------ */

   .irp op, madd, msub
   I INT, \op x0, x1, x2, x3
   I INT, \op w0, w1, w2, w3
   I INT, \op x0, x1, x1, x0
   .endr
   I INT, mul x0, x1, x2
   I INT, mul w0, w1, w2
   I INT, mneg x0, x1, x2
   .irp op, smaddl, smsubl, umaddl, umsubl
   I INT, \op x0, w1, w2, x3
   .endr
   I INT, smull x0, w1, w2
   I INT, umull x0, w1, w2
   I INT, smulh x0, x1, x2
   I INT, umulh x0, x1, x2
   I INT, sdiv x0, x1, x2
   I INT, sdiv w0, w1, w2
   I INT, udiv x0, x1, x23
   I INT, udiv w0, w1, w23
   .irp op, crc32b, crc32h, crc32w, crc32cb, crc32ch, crc32cw
   I INT, \op w0, w1, w2
   .endr
   I INT, crc32x w0, w1, x2
   I INT, crc32cx w0, w1, x2

/* ---- conditions ----------------------------------------------------------------------------------------------------- */

   .irp cond, eq, ne, cs, cc, mi, pl, vs, vc, hi, ls, ge, lt, gt, le, al
   I INT, csel x0, x1, x2, \cond
   I INT, csinc w0, w1, w2, \cond
   I INT, ccmp x1, x2, #5, \cond
   I INT, fcsel d0, d1, d2, \cond
   I INT, fccmp s1, s2, #9, \cond
   I INT, b.\cond .+8
   .endr
   I INT, csel x0, x1, x1, eq
   I INT, csel w0, w1, wzr, lt
   I INT, csinv x0, x1, x2, eq
   I INT, csinv w0, w1, w2, hi
   I INT, csneg x0, x1, x2, ge
   I INT, csneg w0, w1, w2, cs
   I INT, cset x0, eq
   I INT, cset w0, hi
   I INT, csetm x0, cc
   I INT, cinc x0, x1, le
   I INT, ccmp w1, #3, #2, ne
   I INT, ccmn x1, x2, #15, cs
   I INT, ccmn w1, #31, #0, gt
   I INT, fcsel s0, s1, s2, mi
   I DBL, fccmp d1, d2, #4, eq
   I DBL, fccmpe d1, d2, #4, hi
   I INT, mrs x0, nzcv
   I INT, msr nzcv, x0
   I INT, cbz x0, .+8
   I INT, cbz w23, .+8
   I INT, cbnz x23, .+8
   I INT, cbnz w0, .+8
   I INT, tbz x0, #40, .+8
   I INT, tbz w0, #9, .+8
   I INT, tbnz x0, #0, .+8
   I INT, tbnz w0, #31, .+8
   I INT, b .+8
   I INT, bl .+8

/* ---- loads and stores of general registers -------------------------------------------------------------------------- */

   .irp op, ldr, str
   I INT, \op x0, [x19]
   I INT, \op w0, [x19, #12]
   I INT, \op x0, [x19, #16]!
   I INT, \op w0, [x19], #-8
   I INT, \op x0, [x19, x23]
   I INT, \op x0, [x19, x23, lsl #3]
   I INT, \op w0, [x19, w23, uxtw #2]
   I INT, \op w0, [x19, w23, sxtw]
   I INT, \op x0, [sp, #8]
   I INT, \op x0, [sp, #-16]!
   I INT, \op x0, [sp], #16
   I INT, \op xzr, [x19, #8]
   .endr
   .irp op, ldrb, ldrh, ldrsb, ldrsh, strb, strh
   I INT, \op w0, [x19]
   I INT, \op w0, [x19, #3]!
   I INT, \op w0, [x19], #-2
   I INT, \op w0, [x19, x23]
   I INT, \op w0, [x19, w23, uxtw]
   .endr
   .irp op, ldrsb, ldrsh, ldrsw
   I INT, \op x0, [x19, #4]
   I INT, \op x0, [x19, x23]
   I INT, \op x0, [x19, #4]!
   I INT, \op x0, [x19], #4
   .endr
   .irp op, ldur, stur
   I INT, \op x0, [x19, #-5]
   I INT, \op w0, [x19, #7]
   .endr
   .irp op, ldurb, ldurh, ldursb, ldursh, sturb, sturh
   I INT, \op w0, [x19, #-3]
   .endr
   I INT, ldursw x0, [x19, #-3]
   .irp op, ldp, stp
   I INT, \op x0, x1, [x19]
   I INT, \op w0, w1, [x19, #8]
   I INT, \op x0, x1, [x19, #16]!
   I INT, \op x0, x1, [x19], #-16
   I INT, \op w0, w1, [x19, #-8]!
   I INT, \op x29, x30, [sp, #-16]!
   I INT, \op x29, x30, [sp], #32
   I INT, \op x0, xzr, [x19]
   .endr
   I INT, stp xzr, xzr, [x19]
   I INT, ldpsw x0, x1, [x19, #8]
   I INT, ldpsw x0, x1, [x19], #8
   I INT, ldr x19, [x19]
   I INT, ldp x19, x20, [x19]
   I INT, ldr x0, .
   I INT, ldr w0, .
   I INT, prfm pldl1keep, [x19, #64]
   I INT, prfum pldl1keep, [x19, #-3]
   I INT, dc cvau, x20
   I INT, ic ivau, x20

/* ---- accesses that are ordered, exclusive or atomic ----------------------------------------------------------------- */

   .irp op, ldar, stlr, ldxr, ldaxr
   I INT, \op x0, [x19]
   I INT, \op w0, [x19]
   I INT, \op\()b w0, [x19]
   I INT, \op\()h w0, [x19]
   .endr
   I INT, ldxp x0, x1, [x19]
   I INT, ldaxp w0, w1, [x19]
   .irp op, stxr, stlxr
   I INT, \op w2, x0, [x19]
   I INT, \op w2, w0, [x19]
   I INT, \op\()b w2, w0, [x19]
   I INT, \op\()h w2, w0, [x19]
   .endr
   I INT, stxp w2, x0, x1, [x19]
   I INT, stlxp w2, w0, w1, [x19]
   .irp op, cas, casal
   I INT, \op x0, x1, [x19]
   I INT, \op w0, w1, [x19]
   I INT, \op\()b w0, w1, [x19]
   I INT, \op\()h w0, w1, [x19]
   .endr
   .irp op, casp, caspal
   I INT, \op x0, x1, x2, x3, [x19]
   I INT, \op w0, w1, w2, w3, [x19]
   .endr
   .irp op, swp, swpal, ldadd, ldaddal, ldclr, ldeor, ldset, ldsmax, ldsmin, ldumax, ldumin
   I INT, \op x0, x1, [x19]
   I INT, \op w0, w1, [x19]
   I INT, \op x0, x0, [x19]
   .endr
   .irp op, swp, ldadd, ldclr, ldset, ldsmax, ldumin
   I INT, \op\()b w0, w1, [x19]
   I INT, \op\()h w0, w1, [x19]
   .endr
   I INT, stadd x0, [x19]
   I INT, stset w0, [x19]
   I INT, dmb ish
   I INT, dsb ish
   I INT, isb
   I INT, clrex

/* ---- vector registers: loads and stores ------------------------------------------------------------------------------ */

   .irp op, ldr, str
   .irp reg, b0, h0, s0, d0, q0
   I INT, \op \reg, [x19]
   I INT, \op \reg, [x19, #16]!
   I INT, \op \reg, [x19], #16
   I INT, \op \reg, [x19, x23]
   I INT, \op \reg, [sp, #32]
   .endr
   .endr
   .irp op, ldur, stur
   I INT, \op q0, [x19, #-3]
   I INT, \op d0, [x19, #-3]
   I INT, \op b0, [x19, #1]
   .endr
   .irp op, ldp, stp
   .irp pair, "s0, s1", "d0, d1", "q0, q1"
   I INT, \op \pair, [x19]
   I INT, \op \pair, [x19, #16]!
   I INT, \op \pair, [x19], #-32
   .endr
   .endr
   I INT, ldnp q0, q1, [x19]
   I INT, stnp d0, d1, [x19]
   I INT, ldr q0, .
   I INT, ldr d0, .
   I INT, ldr s0, .
   .irp op, ld1, st1
   .irp arrangement, 8b, 16b, 4h, 8h, 2s, 4s, 1d, 2d
   I INT, \op {v0.\arrangement}, [x19]
   I INT, \op {v0.\arrangement, v1.\arrangement}, [x19]
   .endr
   I INT, \op {v0.16b, v1.16b, v2.16b}, [x19]
   I INT, \op {v0.16b, v1.16b, v2.16b, v3.16b}, [x19], #64
   I INT, \op {v0.8b}, [x19], #8
   I INT, \op {v0.4s, v1.4s}, [x19], x23
   I INT, \op {v0.b}[3], [x19]
   I INT, \op {v0.h}[7], [x19], #2
   I INT, \op {v0.s}[0], [x19], x23
   I INT, \op {v0.d}[1], [x19]
   .endr
   .irp op, ld2, st2
   .irp arrangement, 8b, 16b, 4h, 2s, 4s, 2d
   I INT, \op {v0.\arrangement, v1.\arrangement}, [x19]
   .endr
   I INT, \op {v30.8h, v31.8h}, [x19], #32
   I INT, \op {v0.h, v1.h}[2], [x19]
   I INT, \op {v0.d, v1.d}[0], [x19], x23
   .endr
   .irp op, ld3, st3
   .irp arrangement, 8b, 16b, 4h, 4s, 2d
   I INT, \op {v0.\arrangement, v1.\arrangement, v2.\arrangement}, [x19]
   .endr
   I INT, \op {v0.8h, v1.8h, v2.8h}, [x19], #48
   I INT, \op {v0.b, v1.b, v2.b}[15], [x19]
   .endr
   .irp op, ld4, st4
   .irp arrangement, 8b, 16b, 8h, 2s, 4s, 2d
   I INT, \op {v0.\arrangement, v1.\arrangement, v2.\arrangement, v3.\arrangement}, [x19]
   .endr
   I INT, \op {v0.4h, v1.4h, v2.4h, v3.4h}, [x19], x23
   I INT, \op {v0.s, v1.s, v2.s, v3.s}[1], [x19], #16
   .endr
   I INT, ld1r {v0.16b}, [x19]
   I INT, ld1r {v0.4h}, [x19], #2
   I INT, ld1r {v0.1d}, [x19]
   I INT, ld2r {v0.4s, v1.4s}, [x19]
   I INT, ld3r {v0.8b, v1.8b, v2.8b}, [x19]
   I INT, ld4r {v0.2d, v1.2d, v2.2d, v3.2d}, [x19], #32

/* ---- vector registers: moves ----------------------------------------------------------------------------------------- */

   I INT, fmov d0, x1
   I INT, fmov s0, w1
   I INT, fmov x0, d1
   I INT, fmov w0, s1
   I INT, fmov x0, v1.d[1]
   I INT, fmov v0.d[1], x1
   I INT, fmov d0, d1
   I INT, fmov s0, s1
   I INT, fmov d0, #1.5
   I INT, fmov s0, #-2.0
   I INT, fmov v0.2d, #1.0
   I INT, fmov v0.2s, #1.0
   I INT, movi v0.16b, #7
   I INT, movi v0.2d, #0
   I INT, movi d0, #0xff00ff00ff00ff00
   I INT, movi v0.4s, #5, lsl #8
   I INT, movi v0.2s, #5, msl #16
   I INT, mvni v0.8h, #3
   I INT, orr v0.4s, #3
   I INT, bic v0.8h, #3, lsl #8
   I INT, orr v0.2s, #9
   I INT, mov v0.16b, v1.16b
   I INT, mov v0.8b, v1.8b
   I INT, mov v0.b[3], w1
   I INT, mov v0.h[2], w1
   I INT, mov v0.s[1], w1
   I INT, mov v0.d[0], x1
   I INT, mov v0.b[3], v1.b[7]
   I INT, mov v0.s[3], v1.s[0]
   I INT, mov v0.d[1], v1.d[1]
   I INT, mov v0.d[1], v0.d[0]
   I INT, umov w0, v1.b[9]
   I INT, umov w0, v1.h[1]
   I INT, umov w0, v1.s[2]
   I INT, umov x0, v1.d[1]
   I INT, smov w0, v1.b[9]
   I INT, smov x0, v1.h[3]
   I INT, smov x0, v1.s[1]
   I INT, dup v0.16b, w1
   I INT, dup v0.2d, x1
   I INT, dup v0.4h, w1
   I INT, dup v0.8h, v1.h[5]
   I INT, dup v0.2s, v1.s[3]
   I INT, dup d0, v1.d[1]
   I INT, dup s0, v1.s[2]
   I INT, dup b0, v1.b[13]
   I INT, tbl v0.16b, {v1.16b}, v5.16b
   I INT, tbl v0.8b, {v1.16b, v2.16b}, v5.8b
   I INT, tbl v0.16b, {v1.16b, v2.16b, v3.16b}, v5.16b
   I INT, tbl v0.16b, {v1.16b, v2.16b, v3.16b, v4.16b}, v5.16b
   I INT, tbx v0.16b, {v1.16b}, v5.16b
   I INT, tbx v0.8b, {v1.16b, v2.16b}, v5.8b
   I INT, ext v0.16b, v1.16b, v2.16b, #5
   I INT, ext v0.8b, v1.8b, v2.8b, #3
   I INT, ext v0.16b, v1.16b, v1.16b, #8
   .irp op, zip1, zip2, uzp1, uzp2, trn1, trn2
   I INT, \op v0.16b, v1.16b, v2.16b
   I INT, \op v0.8b, v1.8b, v2.8b
   I INT, \op v0.4h, v1.4h, v2.4h
   I INT, \op v0.4s, v1.4s, v2.4s
   I INT, \op v0.2d, v1.2d, v2.2d
   .endr
   .irp op, rev16, rev32, rev64
   I INT, \op v0.16b, v1.16b
   I INT, \op v0.8b, v1.8b
   .endr

/* ---- vector registers: integers -------------------------------------------------------------------------------------- */

   .irp op, add, sub, cmeq, cmhi, cmhs, cmgt, cmge, cmtst, uqadd, sqadd, uqsub, sqsub, sshl, ushl, srshl, urshl
   I INT, \op v0.16b, v1.16b, v2.16b
   I INT, \op v0.4h, v1.4h, v2.4h
   I INT, \op v0.2d, v1.2d, v2.2d
   I INT, \op d0, d1, d2
   I INT, \op v0.4s, v1.4s, v1.4s
   .endr
   .irp op, mul, mla, mls, smax, smin, umax, umin, sabd, uabd, saba, uaba, shadd, uhadd, srhadd, urhadd, shsub, uhsub, smaxp, uminp
   I INT, \op v0.16b, v1.16b, v2.16b
   I INT, \op v0.2s, v1.2s, v2.2s
   .endr
   I INT, addp v0.16b, v1.16b, v2.16b
   I INT, addp v0.2s, v1.2s, v2.2s
   I INT, addp d0, v1.2d
   I INT, pmul v0.16b, v1.16b, v2.16b
   .irp op, and, orr, eor, bic, orn, bsl, bit, bif
   I INT, \op v0.16b, v1.16b, v2.16b
   I INT, \op v0.8b, v1.8b, v2.8b
   I INT, \op v0.16b, v1.16b, v1.16b
   I INT, \op v0.16b, v0.16b, v1.16b
   .endr
   .irp op, abs, neg, sqabs, sqneg
   I INT, \op v0.16b, v1.16b
   I INT, \op v0.2s, v1.2s
   I INT, \op d0, d1
   .endr
   .irp op, not, cnt, rbit
   I INT, \op v0.16b, v1.16b
   I INT, \op v0.8b, v1.8b
   .endr
   I INT, cls v0.8h, v1.8h
   I INT, clz v0.4s, v1.4s
   .irp op, cmeq, cmgt, cmge, cmlt, cmle
   I INT, \op v0.16b, v1.16b, #0
   I INT, \op d0, d1, #0
   .endr
   .irp op, addv, smaxv, sminv, umaxv, uminv
   I INT, \op b0, v1.16b
   I INT, \op h0, v1.4h
   I INT, \op s0, v1.4s
   .endr
   .irp op, saddlv, uaddlv
   I INT, \op h0, v1.16b
   I INT, \op d0, v1.4s
   .endr
   .irp op, shl, sshr, ushr, srshr, urshr, ssra, usra, srsra, ursra, sri, sli, sqshl, uqshl, sqshlu
   I INT, \op v0.16b, v1.16b, #3
   I INT, \op v0.4h, v1.4h, #5
   I INT, \op v0.2d, v1.2d, #32
   I INT, \op d0, d1, #17
   .endr
   .irp op, sshll, ushll
   I INT, \op v0.8h, v1.8b, #3
   I INT, \op\()2 v0.2d, v1.4s, #0
   .endr
   .irp op, shrn, rshrn, sqshrn, uqshrn, sqrshrn, uqrshrn, sqshrun, sqrshrun
   I INT, \op v0.8b, v1.8h, #3
   I INT, \op\()2 v0.4s, v1.2d, #8
   .endr
   .irp op, xtn, sqxtn, uqxtn, sqxtun
   I INT, \op v0.8b, v1.8h
   I INT, \op\()2 v0.8h, v1.4s
   .endr
   I INT, sqxtn s0, d1
   I INT, shll v0.8h, v1.8b, #8
   .irp op, saddl, uaddl, ssubl, usubl, smull, umull, smlal, umlal, smlsl, umlsl, sabdl, uabdl, sabal, uabal
   I INT, \op v0.8h, v1.8b, v2.8b
   I INT, \op\()2 v0.2d, v1.4s, v2.4s
   .endr
   .irp op, saddw, uaddw, ssubw, usubw
   I INT, \op v0.8h, v1.8h, v2.8b
   I INT, \op\()2 v0.2d, v1.2d, v2.4s
   .endr
   .irp op, addhn, subhn, raddhn, rsubhn
   I INT, \op v0.8b, v1.8h, v2.8h
   I INT, \op\()2 v0.4s, v1.2d, v2.2d
   .endr
   .irp op, saddlp, uaddlp, sadalp, uadalp
   I INT, \op v0.8h, v1.16b
   I INT, \op v0.2s, v1.4h
   .endr
   .irp op, sqdmull, sqdmlal, sqdmlsl
   I INT, \op v0.4s, v1.4h, v2.4h
   I INT, \op\()2 v0.2d, v1.4s, v2.4s
   I INT, \op d0, s1, s2
   .endr
   .irp op, sqdmulh, sqrdmulh
   I INT, \op v0.8h, v1.8h, v2.8h
   I INT, \op s0, s1, s2
   I INT, \op v0.4s, v1.4s, v2.s[1]
   .endr
   .irp op, mul, mla, mls
   I INT, \op v0.8h, v1.8h, v2.h[3]
   I INT, \op v0.2s, v1.2s, v2.s[1]
   .endr
   .irp op, smull, umull, smlal, umlsl
   I INT, \op v0.4s, v1.4h, v2.h[7]
   I INT, \op\()2 v0.2d, v1.4s, v2.s[2]
   .endr
   .irp op, suqadd, usqadd
   I INT, \op v0.16b, v1.16b
   I INT, \op d0, d1
   .endr
   I INT, urecpe v0.4s, v1.4s
   I INT, ursqrte v0.2s, v1.2s
   I INT, pmull v0.8h, v1.8b, v2.8b
   I INT, pmull v0.1q, v1.1d, v2.1d
   I INT, pmull2 v0.1q, v1.2d, v2.2d
   I INT, aese v0.16b, v1.16b
   I INT, aesd v0.16b, v1.16b
   I INT, aesmc v0.16b, v1.16b
   I INT, aesimc v0.16b, v1.16b
   I INT, sha1c q0, s1, v2.4s
   I INT, sha1p q0, s1, v2.4s
   I INT, sha1m q0, s1, v2.4s
   I INT, sha1h s0, s1
   I INT, sha1su0 v0.4s, v1.4s, v2.4s
   I INT, sha1su1 v0.4s, v1.4s
   I INT, sha256h q0, q1, v2.4s
   I INT, sha256h2 q0, q1, v2.4s
   I INT, sha256su0 v0.4s, v1.4s
   I INT, sha256su1 v0.4s, v1.4s, v2.4s

/* ---- numbers --------------------------------------------------------------------------------------------------------- */

   .irp op, fadd, fsub, fmul, fdiv, fmax, fmin, fmaxnm, fminnm, fabd, facge, facgt, fcmeq, fcmge, fcmgt, fmulx, frecps, frsqrts
   I DBL, \op d0, d1, d2
   I FLT, \op s0, s1, s2
   I DBL, \op v0.2d, v1.2d, v2.2d
   I FLT, \op v0.4s, v1.4s, v2.4s
   I FLT, \op v0.2s, v1.2s, v2.2s
   .endr
   I DBL, fnmul d0, d1, d2
   I FLT, fnmul s0, s1, s2
   .irp op, fmadd, fmsub, fnmadd, fnmsub
   I DBL, \op d0, d1, d2, d3
   I FLT, \op s0, s1, s2, s3
   .endr
   .irp op, fmla, fmls
   I DBL, \op v0.2d, v1.2d, v2.2d
   I FLT, \op v0.2s, v1.2s, v2.2s
   I FLT, \op v0.4s, v1.4s, v2.s[3]
   I DBL, \op d0, d1, v2.d[1]
   .endr
   I FLT, fmul v0.4s, v1.4s, v2.s[0]
   I DBL, fmul d0, d1, v2.d[1]
   .irp op, faddp, fmaxp, fminp, fmaxnmp, fminnmp
   I DBL, \op v0.2d, v1.2d, v2.2d
   I FLT, \op v0.2s, v1.2s, v2.2s
   I FLT, \op s0, v1.2s
   I DBL, \op d0, v1.2d
   .endr
   .irp op, fmaxv, fminv, fmaxnmv, fminnmv
   I FLT, \op s0, v1.4s
   .endr
   .irp op, fabs, fneg, fsqrt
   I DBL, \op d0, d1
   I FLT, \op s0, s1
   I DBL, \op v0.2d, v1.2d
   I FLT, \op v0.2s, v1.2s
   .endr
   .irp op, frinta, frinti, frintm, frintn, frintp, frintx, frintz
   I DBL, \op d0, d1
   I FLT, \op s0, s1
   I FLT, \op v0.4s, v1.4s
   .endr
   .irp op, frecpe, frsqrte
   I DBL, \op d0, d1
   I FLT, \op s0, s1
   I DBL, \op v0.2d, v1.2d
   .endr
   I DBL, frecpx d0, d1
   .irp op, fcmp, fcmpe
   I DBL, \op d1, d2
   I FLT, \op s1, s2
   I DBL, \op d1, #0.0
   I DBL, \op d1, d1
   .endr
   .irp op, fcmeq, fcmge, fcmgt, fcmle, fcmlt
   I DBL, \op d0, d1, #0.0
   I FLT, \op v0.4s, v1.4s, #0.0
   .endr
   I DBL, fcvt s0, d1
   I FLT, fcvt d0, s1
   I FLT, fcvt h0, s1
   I INT, fcvt s0, h1
   I INT, fcvt d0, h1
   I DBL, fcvtn v0.2s, v1.2d
   I DBL, fcvtn2 v0.4s, v1.2d
   I FLT, fcvtn v0.4h, v1.4s
   I FLT, fcvtl v0.2d, v1.2s
   I FLT, fcvtl2 v0.2d, v1.4s
   I DBL, fcvtxn s0, d1
   .irp op, fcvtas, fcvtau, fcvtms, fcvtnu, fcvtps, fcvtzs, fcvtzu
   I DBL, \op x0, d1
   I DBL, \op w0, d1
   I FLT, \op x0, s1
   I FLT, \op w0, s1
   I DBL, \op d0, d1
   I DBL, \op v0.2d, v1.2d
   I FLT, \op v0.2s, v1.2s
   .endr
   .irp op, scvtf, ucvtf
   I INT, \op d0, x1
   I INT, \op d0, w1
   I INT, \op s0, x1
   I INT, \op s0, w1
   I INT, \op d0, x1, #9
   I INT, \op d0, d1
   I INT, \op s0, s1
   I INT, \op v0.2d, v1.2d
   I INT, \op v0.4s, v1.4s, #7
   .endr
   I DBL, fcvtzs x0, d1, #5
   I FLT, fcvtzu v0.4s, v1.4s, #5

/* ---- the system ------------------------------------------------------------------------------------------------------ */

   I NOT, mrs x0, tpidr_el0
   I NOT, mrs x0, fpcr
   I NOT, msr fpcr, xzr
   I NOT, mrs x0, fpsr
   I NOT, msr fpsr, xzr
   I NOT, mrs x0, dczid_el0
   I NOT, mrs x0, ctr_el0
   I NOT, mrs x0, cntvct_el0
   I INT, nop
   I INT, yield
   I INT, hint #34

   .quad 0, 0, 0
