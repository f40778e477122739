/* One instruction of each class that VEX knows on this kind of processor, each by itself: see tests/oracle/wet_probe.c,
   which executes them, and tests/tool/wet_usage.t.

   A case has a name for what its registers should hold: INT, anything; DBL and FLT, numbers of which all bits matter for
   a result; IDX, small integers; X87, four numbers on x87's stack; MMX.  RBX, RBP, RSI, RDI and RSP are addresses in a
   buffer; RCX is small as a rule.  What goes elsewhere goes to .+8 behind its begin, if it has 2 bytes: the second of the
   ways back.  */

#define INT 0
#define DBL 1
#define FLT 2
#define IDX 3
#define X87 4
#define MMX 5
#define NOT 6

.macro I mode, insn:vararg
   .text
771:
   \insn
772:
   jmp *probe_back(%rip)
   jmp *probe_back_2(%rip)
   .section cases, "a"
   .quad 771b, 772b, \mode
.endm

   .section .note.GNU-stack, "", @progbits
   .section cases, "a"
   .globl probe_cases
probe_cases:

/* ---- general registers ------------------------------------------------------------------------------------------- */

   .irp op, add, or, and, sub, xor, cmp, adc, sbb, mov
   I INT, \op %rdx, %rax
   I INT, \op %edx, %eax
   I INT, \op %dx, %ax
   I INT, \op %dl, %al
   I INT, \op %dh, %cl
   I INT, \op %al, %dh
   I INT, \op %r9, %r15
   I INT, \op %rax, %rax
   I INT, \op %r10d, %r10d
   I INT, \op %cx, %cx
   I INT, \op %cl, %cl
   I INT, \op %r11b, %r11b
   I INT, \op %ah, %ah
   I INT, \op (%rbx), %rax
   I INT, \op (%rbx), %cl
   I INT, \op %rax, (%rbx)
   I INT, \op %eax, 8(%rbx)
   I INT, \op %r8b, 8(%rbx)
   I INT, \op $5, %rax
   I INT, \op $0x12345, %eax
   I INT, \op $5, %dh
   I INT, \op\()q $5, (%rbx)
   I INT, \op\()b $5, (%rbx)
   .endr
   I INT, test %rdx, %rax
   I INT, test %eax, %eax
   I INT, test %ah, %dl
   I INT, test $7, %al
   I INT, testl $7, (%rbx)
   .irp op, inc, dec, neg, not
   I INT, \op %rax
   I INT, \op %r9d
   I INT, \op %cx
   I INT, \op %dh
   I INT, \op\()q (%rbx)
   I INT, \op\()b (%rbx)
   .endr
   .irp op, "lock add", "lock xor", "lock sub"
   I INT, \op %rax, (%rbx)
   .endr
   I INT, lock incl (%rbx)
   .irp op, shl, shr, sar, rol, ror, rcl, rcr
   I INT, \op %rax
   I INT, \op $3, %rax
   I INT, \op $3, %eax
   I INT, \op $3, %cx
   I INT, \op $3, %dh
   I INT, \op %cl, %rax
   I INT, \op %cl, %edx
   I INT, \op %cl, %dx
   I INT, \op %cl, %dl
   I INT, \op %eax
   I INT, \op %dl
   I INT, \op\()l $3, (%rbx)
   I INT, \op\()q (%rbx)
   I INT, \op\()l %cl, (%rbx)
   .endr
   .irp op, shld, shrd
   I INT, \op $3, %rdx, %rax
   I INT, \op $3, %edx, %eax
   I INT, \op %cl, %rdx, %rax
   I INT, \op %cl, %edx, %eax
   I INT, \op $3, %rdx, (%rbx)
   I INT, \op %cl, %edx, (%rbx)
   .endr
   .irp op, bt, bts, btr, btc
   I INT, \op %rdx, %rax
   I INT, \op %edx, %eax
   I INT, \op %dx, %ax
   I INT, \op $3, %rax
   I INT, \op $3, %r9d
   I INT, \op\()q $3, (%rbx)
   I INT, \op\()l $3, (%rbx)
   I INT, \op %ecx, (%rbx)
   .endr
   I INT, lock btsq $3, (%rbx)
   I INT, lock btsl $3, (%rbx)
   .irp op, bsf, bsr, tzcnt, lzcnt, popcnt
   I INT, \op %rdx, %rax
   I INT, \op %edx, %eax
   I INT, \op %dx, %ax
   I INT, \op (%rbx), %rax
   .endr
   I INT, mul %rdx
   I INT, mul %ecx
   I INT, mul %cx
   I INT, mul %cl
   I INT, mulq (%rbx)
   I INT, imul %rdx
   I INT, imul %ecx
   I INT, imul %cx
   I INT, imul %cl
   I INT, imul %rdx, %rax
   I INT, imul %edx, %eax
   I INT, imul (%rbx), %eax
   I INT, imul $7, %rdx, %rax
   I INT, imul $7, %edx, %eax
   I INT, imul $777, %dx, %ax
   I INT, imul $7, (%rbx), %rax
   I INT, div %rcx
   I INT, div %ecx
   I INT, div %cx
   I INT, div %cl
   I INT, idiv %rcx
   I INT, idiv %ecx
   I INT, idiv %cl
   I INT, divq (%rbx)
   I INT, cwtl
   I INT, cltq
   I INT, cbtw
   I INT, cltd
   I INT, cqto
   I INT, cwtd
   I INT, movzbl %dl, %eax
   I INT, movzbl %dh, %eax
   I INT, movzwl %dx, %eax
   I INT, movsbl %dl, %eax
   I INT, movswq %dx, %rax
   I INT, movsbw %dl, %ax
   I INT, movslq %edx, %rax
   I INT, movzwl (%rbx), %eax
   I INT, movslq (%rbx), %rax
   I INT, mov $7, %rax
   I INT, movabs $0x123456789abcdef, %rax
   I INT, mov %fs:0, %rax
   I INT, lea 8(%rbx,%rcx,4), %rax
   I INT, lea 8(%rbx,%rcx,4), %eax
   I INT, lea 8(%rip), %rax
   I INT, lea (%ebx,%ecx), %eax
   I INT, mov (%rbx,%rcx), %rax
   I INT, mov %rax, 3(%rbx,%rcx,2)
   I INT, movbe (%rbx), %rax
   I INT, movbe %eax, (%rbx)
   I INT, bswap %rax
   I INT, bswap %r9d
   I INT, xchg %rdx, %rax
   I INT, xchg %edx, %ecx
   I INT, xchg %dl, %ah
   I INT, xchg %rax, (%rbx)
   I INT, xadd %rdx, %rax
   I INT, xadd %edx, %ecx
   I INT, xadd %dl, %cl
   I INT, xadd %rdx, %rdx
   I INT, xadd %rax, (%rbx)
   I INT, lock xadd %eax, (%rbx)
   I INT, cmpxchg %rdx, %rcx
   I INT, cmpxchg %edx, %ecx
   I INT, cmpxchg %dl, %cl
   I INT, cmpxchg %rdx, (%rbx)
   I INT, lock cmpxchg %edx, (%rbx)
   I INT, lock cmpxchg8b (%rbx)
   I INT, lock cmpxchg16b (%rbx)
   .irp cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
   I INT, set\cc %al
   I INT, cmov\cc %rdx, %rax
   I INT, j\cc .+8
   .endr
   I INT, setb (%rbx)
   I INT, setb %ah
   I INT, cmovb %edx, %eax
   I INT, cmovle %dx, %ax
   I INT, cmovb (%rbx), %rax
   I INT, cmovb (%rbx), %eax
   I INT, loop .+8
   I INT, loope .+8
   I INT, loopne .+8
   I INT, jrcxz .+8
   I INT, jecxz .+9
   I INT, jmp .+8
   I INT, push %rax
   I INT, push %rsp
   I INT, push $77
   I INT, push (%rbx)
   I INT, push %ax
   I INT, pop %rax
   I INT, pop %rsp
   I INT, pop (%rbx)
   I INT, pop %ax
   I INT, pushf
   I INT, popf
   I INT, call .+11
   I INT, leave
   I INT, enter $16, $0
   I INT, lahf
   I INT, sahf
   I INT, clc
   I INT, stc
   I INT, cmc
   I INT, cld
   I INT, std
   I INT, nop
   I INT, nopl (%rbx)
   I INT, pause
   I INT, endbr64
   I INT, prefetcht0 (%rbx)
   I INT, lfence
   I INT, mfence
   I INT, sfence
   I INT, clflush (%rbx)
   I INT, cpuid
   I NOT, rdtsc
   I NOT, rdtscp
   I INT, xgetbv
   I INT, andn %rdx, %r9, %rax
   I INT, andn %edx, %r9d, %eax
   I INT, bextr %rdx, %r9, %rax
   I INT, bextr %edx, %r9d, %eax
   I INT, blsi %rdx, %rax
   I INT, blsr %edx, %eax
   I INT, blsmsk %rdx, %rax
   I INT, bzhi %rdx, %r9, %rax
   I INT, bzhi %edx, %r9d, %eax
   I INT, pdep %rdx, %r9, %rax
   I INT, pext %edx, %r9d, %eax
   I INT, mulx %rcx, %r9, %rax
   I INT, mulx %ecx, %r9d, %eax
   I INT, rorx $7, %rdx, %rax
   I INT, sarx %rcx, %rdx, %rax
   I INT, shlx %ecx, %edx, %eax
   I INT, shrx %rcx, (%rbx), %rax
   I INT, crc32b %dl, %eax
   I INT, crc32q %rdx, %rax
   I INT, crc32l (%rbx), %eax
   I INT, adcx %rdx, %rax
   I INT, adox %edx, %eax

/* ---- strings ----------------------------------------------------------------------------------------------------- */

   .irp op, movsb, movsw, movsl, movsq, stosb, stosw, stosl, stosq, lodsb, lodsw, lodsl, lodsq, \
            scasb, scasw, scasl, scasq
   I INT, \op
   .endr
   .irp op, "rep movsb", "rep movsq", "rep stosb", "rep stosq", "repe scasb", "repne scasb", \
            "repe cmpsb"
   I INT, \op
   .endr

/* ---- vectors: integers ------------------------------------------------------------------------------------------- */

   .irp op, movdqa, movdqu, movaps, movups, movapd, por, pand, pandn, pxor, paddb, paddd, psubq, psubb, pmullw, pmulhw, \
            pmuludq, pmaddwd, psadbw, pavgb, pmaxub, pminsw, pcmpeqb, pcmpeqd, pcmpgtb, pcmpgtd, punpcklbw, punpckhbw, \
            punpckldq, punpcklqdq, punpckhqdq, packuswb, packssdw, pshufb, phaddd, pabsd, psignb, pmulld, pcmpeqq, \
            pcmpgtq, packusdw, pminud, pmaxsb, ptest, phminposuw, pmovzxbw, pmovsxbd, pmovzxbq, pmovsxwd, pmovzxdq, \
            pmulhrsw, pmaddubsw, paddusb, psubsw, xorps, andps, orps, andnps, xorpd, psllw, psrld, psraw, psllq, \
            aesenc, aesenclast, aesdec, aesimc, unpcklps, unpckhps, unpcklpd, unpckhpd, movsldup, movshdup, movddup
   I INT, \op %xmm1, %xmm0
   I INT, \op (%rbx), %xmm9
   .endr
   .irp op, pxor, psubb, psubd, pcmpeqb, pcmpeqd, pcmpgtb, xorps, por, paddd, pandn
   I INT, \op %xmm3, %xmm3
   .endr
   .irp op, psllw, psrld, psraw, psllq, pslldq, psrldq
   I INT, \op $3, %xmm1
   .endr
   .irp op, pshufd, pshuflw, pshufhw, shufps, shufpd, palignr, pblendw, aeskeygenassist, pclmulqdq, mpsadbw, \
            dppd, dpps, insertps
   I INT, \op $0, %xmm1, %xmm0
   I INT, \op $0x1b, %xmm1, %xmm0
   .endr
   I DBL, roundpd $1, %xmm1, %xmm0
   I INT, pblendvb %xmm0, %xmm1, %xmm2
   I INT, movd %eax, %xmm1
   I INT, movd %xmm1, %eax
   I INT, movq %rax, %xmm1
   I INT, movq %xmm1, %rax
   I INT, movq %xmm1, %xmm2
   I INT, movq (%rbx), %xmm2
   I INT, movq %xmm2, (%rbx)
   I INT, movd (%rbx), %xmm2
   I INT, movdqa %xmm2, (%rbx)
   I INT, movups %xmm9, (%rbx)
   I INT, movntdq %xmm9, (%rbx)
   I INT, movnti %rax, (%rbx)
   I INT, lddqu (%rbx), %xmm9
   I INT, pmovmskb %xmm1, %eax
   I INT, movmskps %xmm1, %eax
   I INT, movmskpd %xmm1, %eax
   I INT, pinsrb $3, %edx, %xmm1
   I INT, pinsrw $3, %edx, %xmm1
   I INT, pinsrd $3, %edx, %xmm1
   I INT, pinsrq $1, %rdx, %xmm1
   I INT, pinsrw $3, (%rbx), %xmm1
   I INT, pextrb $3, %xmm1, %edx
   I INT, pextrw $3, %xmm1, %edx
   I INT, pextrd $3, %xmm1, %edx
   I INT, pextrq $1, %xmm1, %rdx
   I INT, pextrw $3, %xmm1, (%rbx)
   I INT, extractps $1, %xmm1, %edx
   I INT, movlps (%rbx), %xmm1
   I INT, movhps (%rbx), %xmm1
   I INT, movlps %xmm1, (%rbx)
   I INT, movhps %xmm1, (%rbx)
   I INT, movlpd (%rbx), %xmm1
   I INT, movhpd (%rbx), %xmm1
   I INT, movhlps %xmm2, %xmm1
   I INT, movlhps %xmm2, %xmm1
   I INT, movss %xmm2, %xmm1
   I INT, movsd %xmm2, %xmm1
   I INT, movss (%rbx), %xmm1
   I INT, movsd (%rbx), %xmm1
   I INT, movss %xmm1, (%rbx)
   I INT, movsd %xmm1, (%rbx)
   I INT, maskmovdqu %xmm1, %xmm2
   I INT, pcmpistri $0, %xmm1, %xmm2
   I INT, pcmpistrm $0, %xmm1, %xmm2
   I INT, pcmpestri $0, %xmm1, %xmm2
   I INT, ldmxcsr (%rbx)
   I INT, stmxcsr (%rbx)

/* ---- vectors: numbers -------------------------------------------------------------------------------------------- */

   .irp op, addsd, subsd, mulsd, divsd, sqrtsd, minsd, maxsd, comisd, ucomisd, cmpltsd, cvtsd2ss, addpd, mulpd, \
            sqrtpd, minpd, cmpltpd, cvtpd2dq, cvttpd2dq, cvtpd2ps, haddpd, hsubpd, addsubpd
   I DBL, \op %xmm1, %xmm0
   I DBL, \op (%rbx), %xmm9
   .endr
   .irp op, addss, subss, mulss, divss, sqrtss, minss, maxss, comiss, ucomiss, cmpltss, cvtss2sd, addps, mulps, sqrtps, \
            minps, cmpltps, cvtps2dq, cvttps2dq, cvtps2pd, haddps, addsubps, rcpss, rsqrtss, rcpps, rsqrtps
   I FLT, \op %xmm1, %xmm0
   I FLT, \op (%rbx), %xmm9
   .endr
   I DBL, cvtsd2si %xmm1, %rax
   I DBL, cvttsd2si %xmm1, %eax
   I DBL, cvttsd2si (%rbx), %rax
   I FLT, cvtss2si %xmm1, %rax
   I FLT, cvttss2si %xmm1, %eax
   I INT, cvtsi2sd %rdx, %xmm1
   I INT, cvtsi2sd %edx, %xmm1
   I INT, cvtsi2ssq (%rbx), %xmm1
   I INT, cvtsi2ss %edx, %xmm1
   I INT, cvtdq2ps %xmm1, %xmm0
   I INT, cvtdq2pd %xmm1, %xmm0
   I DBL, roundsd $1, %xmm1, %xmm0
   I FLT, roundss $1, %xmm1, %xmm0
   I INT, blendps $5, %xmm1, %xmm0
   I INT, blendvpd %xmm0, %xmm1, %xmm2

/* ---- AVX --------------------------------------------------------------------------------------------------------- */

   .irp op, vpaddb, vpand, vpor, vpxor, vpandn, vpsubd, vpcmpeqb, vpcmpgtd, vpshufb, vpunpcklbw, vpunpckhdq, vpackuswb, \
            vpminub, vpmaxub, vpmulld, vpmuludq, vpsadbw, vpsllvd, vpsrlvq, vandps, vxorpd, vunpcklpd
   I INT, \op %xmm2, %xmm1, %xmm0
   I INT, \op %ymm2, %ymm1, %ymm0
   I INT, \op (%rbx), %ymm1, %ymm0
   .endr
   .irp op, vpxor, vpsubd, vpcmpeqb, vpcmpgtd, vxorps, vpandn, vpor
   I INT, \op %xmm2, %xmm2, %xmm0
   I INT, \op %ymm2, %ymm2, %ymm2
   .endr
   .irp op, vmovdqa, vmovdqu, vmovaps, vmovupd, vpabsd, vptest, vtestps, vmovshdup, vmovddup
   I INT, \op %xmm2, %xmm1
   I INT, \op %ymm2, %ymm1
   I INT, \op (%rbx), %ymm1
   .endr
   .irp op, vaddpd, vmulpd, vdivpd, vsubpd, vmaxpd, vcmpltpd, vhaddpd
   I DBL, \op %xmm2, %xmm1, %xmm0
   I DBL, \op %ymm2, %ymm1, %ymm0
   .endr
   .irp op, vaddsd, vmulsd, vdivsd, vsqrtsd, vminsd, vcmpltsd, vcvtsd2ss
   I DBL, \op %xmm2, %xmm1, %xmm0
   I DBL, \op (%rbx), %xmm1, %xmm0
   .endr
   .irp op, vaddss, vmulss, vsqrtss, vcvtss2sd
   I FLT, \op %xmm2, %xmm1, %xmm0
   .endr
   .irp op, vfmadd132sd, vfmadd213sd, vfmadd231sd, vfnmadd231sd, vfmsub213sd, vfmadd213pd, vfmadd231pd
   I DBL, \op %xmm2, %xmm1, %xmm0
   .endr
   I FLT, vfmadd213ss %xmm2, %xmm1, %xmm0
   I FLT, vfmadd213ps %ymm2, %ymm1, %ymm0
   I DBL, vcomisd %xmm2, %xmm1
   I FLT, vucomiss %xmm2, %xmm1
   I INT, vcvtsi2sd %edx, %xmm2, %xmm1
   I INT, vcvtsi2sd %rdx, %xmm2, %xmm1
   I DBL, vcvttsd2si %xmm2, %eax
   I INT, vcvtdq2pd %xmm2, %ymm1
   I DBL, vcvtpd2ps %ymm2, %xmm1
   I DBL, vroundsd $1, %xmm2, %xmm1, %xmm0
   I INT, vmovd %edx, %xmm1
   I INT, vmovq %rdx, %xmm1
   I INT, vmovd %xmm1, %edx
   I INT, vmovq %xmm2, %xmm1
   I INT, vmovq %xmm1, (%rbx)
   I INT, vmovdqu %ymm1, (%rbx)
   I INT, vmovss %xmm2, %xmm1, %xmm0
   I INT, vmovsd %xmm2, %xmm1, %xmm0
   I INT, vmovsd (%rbx), %xmm0
   I INT, vmovlps (%rbx), %xmm1, %xmm0
   I INT, vmovhps (%rbx), %xmm1, %xmm0
   I INT, vmovhlps %xmm2, %xmm1, %xmm0
   I INT, vmovlhps %xmm2, %xmm1, %xmm0
   I INT, vpinsrb $3, %edx, %xmm1, %xmm0
   I INT, vpinsrq $1, %rdx, %xmm1, %xmm0
   I INT, vpextrw $3, %xmm1, %edx
   I INT, vpmovmskb %ymm1, %edx
   I INT, vmovmskps %ymm1, %edx
   I INT, vpshufd $0x1b, %ymm1, %ymm0
   I INT, vpalignr $3, %ymm2, %ymm1, %ymm0
   I INT, vshufps $0x1b, %ymm2, %ymm1, %ymm0
   I INT, vpblendd $5, %ymm2, %ymm1, %ymm0
   I INT, vpblendvb %xmm3, %xmm2, %xmm1, %xmm0
   I INT, vblendvpd %ymm3, %ymm2, %ymm1, %ymm0
   I INT, vpslld $3, %ymm1, %ymm0
   I INT, vpsrldq $3, %ymm1, %ymm0
   I INT, vpslld %xmm2, %ymm1, %ymm0
   I INT, vpbroadcastb %xmm1, %ymm0
   I INT, vpbroadcastd %xmm1, %xmm0
   I INT, vbroadcastss %xmm1, %ymm0
   I INT, vbroadcasti128 (%rbx), %ymm0
   I INT, vinserti128 $1, %xmm2, %ymm1, %ymm0
   I INT, vinsertf128 $0, %xmm2, %ymm1, %ymm0
   I INT, vextracti128 $1, %ymm1, %xmm0
   I INT, vextracti128 $1, %ymm1, (%rbx)
   I INT, vperm2i128 $0x21, %ymm2, %ymm1, %ymm0
   I INT, vpermq $0x1b, %ymm1, %ymm0
   I INT, vpermd %ymm2, %ymm1, %ymm0
   I INT, vpermilps $0x1b, %ymm1, %ymm0
   I INT, vpmovzxbw %xmm1, %ymm0
   I INT, vpmovsxdq %xmm1, %ymm0
   I INT, vpmaskmovd (%rbx), %ymm1, %ymm0
   I INT, vpmaskmovd %ymm0, %ymm1, (%rbx)
   I INT, vmaskmovpd (%rbx), %xmm1, %xmm0
   I INT, vmaskmovps %xmm0, %xmm1, (%rbx)
   I IDX, vpgatherdd %xmm2, (%rbx,%xmm1,4), %xmm0
   I IDX, vpgatherqq %ymm2, (%rbx,%ymm1,8), %ymm0
   I INT, vzeroupper
   I INT, vzeroall
   I INT, vaesenc %xmm2, %xmm1, %xmm0
   I INT, vpclmulqdq $0x10, %xmm2, %xmm1, %xmm0
   I FLT, vcvtps2ph $0, %xmm1, %xmm0
   I INT, vcvtph2ps %xmm1, %xmm0

/* ---- x87 --------------------------------------------------------------------------------------------------------- */

   .irp op, fld1, fldz, fldpi, fldl2e, fldln2, fchs, fabs, fsqrt, fsin, fcos, fptan, fpatan, f2xm1, fyl2x, fscale, \
            frndint, fprem, fxtract, fincstp, fxam, fcompp, fucompp, fxch, \
            faddp, fsubp, fsubrp, fmulp, fdivp, fdivrp
   I X87, \op
   .endr
   .irp op, fld, fst, fstp, fxch, ffree, fucom, fucomp, fcomi, fcomip, fucomi, fucomip
   I X87, \op %st(2)
   .endr
   I X87, fcom %st(2)
   I X87, fcomp %st(2)
   I X87, fstp %st(0)
   .irp op, fadd, fsub, fsubr, fmul, fdiv, fdivr
   I X87, \op %st(2), %st
   I X87, \op %st, %st(2)
   I X87, \op\()s (%rbx)
   I X87, \op\()l (%rbx)
   .endr
   .irp op, fcmovb, fcmove, fcmovbe, fcmovu, fcmovnb, fcmovne, fcmovnbe, fcmovnu
   I X87, \op %st(2), %st
   .endr
   .irp op, flds, fldl, fldt, filds, fildl, fildll, fsts, fstl, fstps, fstpl, fstpt, fists, fistl, fistpll, fistps, \
            fisttpl, fcomps, fcoml, fiaddl, fimuls, fldcw, fnstcw, fnstsw, fnstenv, fldenv, fnsave, \
            frstor
   I X87, \op (%rbx)
   .endr
   I X87, fnstsw %ax
   I X87, fninit
   I X87, fnclex
   I X87, fxsave (%rbx)
   I X87, fxrstor (%rbx)
   I X87, fwait

/* ---- MMX --------------------------------------------------------------------------------------------------------- */

   .irp op, movq, paddb, psubd, pxor, pand, pandn, pmullw, pmaddwd, pcmpeqb, punpcklbw, punpckhwd, packuswb, psllw, \
            pavgb, pminub, psadbw, pmulhuw, pshufb, pabsd
   I MMX, \op %mm1, %mm0
   I MMX, \op (%rbx), %mm0
   .endr
   I MMX, pxor %mm1, %mm1
   I MMX, psubd %mm1, %mm1
   I MMX, psllq $3, %mm1
   I MMX, movd %eax, %mm1
   I MMX, movd %mm1, %eax
   I MMX, movq %rax, %mm1
   I MMX, movq %mm1, (%rbx)
   I MMX, movntq %mm1, (%rbx)
   I MMX, pinsrw $1, %edx, %mm1
   I MMX, pextrw $1, %mm1, %edx
   I MMX, pmovmskb %mm1, %edx
   I MMX, pshufw $0x1b, %mm1, %mm0
   I MMX, movq2dq %mm1, %xmm0
   I MMX, movdq2q %xmm1, %mm0
   I MMX, cvtpi2ps %mm1, %xmm0
   I MMX, cvtpi2pd %mm1, %xmm0
   I MMX, cvttps2pi %xmm1, %mm0
   I MMX, maskmovq %mm1, %mm2
   I MMX, emms
   .section cases, "a"
   .quad 0
