"""Random programs of single instructions, for cmd/gdb/insns.t.

program(seed, bits, has): the assembler source of a program.  HAS tells whether the processor has features, as cpuinfo.has().

- Instructions are taken from TABLE, class by class, with random operands.  They are divided into runs; behind each run the program
calls `save`, which keeps all registers, flags, x87's state and the buffer.  Some runs are in loops, and some have jumps within.

- At the end the program writes what it has kept to standard output, RECORD bytes for each call, and then the SAVED bytes at `saved`, to
which FXSAVE and XSAVE store.  fields() takes a record apart.
"""
import collections
import random
import re
import struct

RECORD, BUFFER, SAVED = 1792, 512, 1024
AT_FLAGS, AT_FX, AT_YMM, AT_BUFFER = 128, 192, 704, 1216
GENERAL = {64: "rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15".split(), 32: "eax ecx edx ebx esp ebp esi edi".split()}
NAMES = ("al ax eax rax", "cl cx ecx rcx", "dl dx edx rdx", "bl bx ebx rbx", "spl sp esp rsp", "bpl bp ebp rbp", "sil si esi rsi",
         "dil di edi rdi") + tuple(f"r{n}b r{n}w r{n}d r{n}" for n in range(8, 16))
HIGH = "ah ch dh bh".split()
SIZES = {"b": 1, "w": 2, "l": 4, "q": 8}
LOADS_NUMBER = "fldl @n", "fldl @n", "flds @m", "fildl @m", "fildll @m", "filds @m", "fld1", "fldz", "fldpi", "fldl2e", "fld @s"

# Class: bits: 0: both; features of the processor; sizes of operands; instructions, which ; divides.  $ is the suffix of the size.  Other
# marks are random operands.  @r is a general register of that size, @e a register or memory, @i a number.  @m is memory, @A memory by a
# constant address that is a multiple of 16, @B such an address.  @v and @V are 16 and 32 bytes for SSE and AVX, @a 108 bytes.  @h is a
# second byte, @o it or a first one.  @l and @q are registers of 4 bytes and of a word.  @x @y @M are those of vectors and MMX, @s is one
# of x87's stack.  @n is a double, @t are 10 bytes of x87, @F are flags.  @j is a number below 64, and @k @K @7 @4 @c are smaller ones.
# @= is the memory before, @R the register before.
Class = collections.namedtuple("Class", "name bits needs sizes texts")
TABLE = (
    Class("alu", 0, "", "bwlq", [op + "$ " + ops for op in "add sub adc sbb and or xor cmp".split()
                                 for ops in ("@r,@e", "@e,@r", "@i,@e")] + ["test$ @r,@e", "test$ @i,@e"]),
    Class("moves", 0, "", "bwlq", ["mov$ @r,@e", "mov$ @e,@r", "mov$ @i,@e", "xchg$ @r,@e", "xchg$ @e,@r", "xadd$ @r,@e",
                                   "lock xadd$ @r,@m", "cmpxchg$ @r,@e", "cmpxchg$ @r,@e", "lock cmpxchg$ @r,@m", "lock add$ @r,@m"]),
    Class("second bytes", 0, "", "b", ["xchg @h,@m", "xadd @h,@m", "lock xadd @h,@m", "cmpxchg @h,@m", "xchg @h,@o", "xadd @h,@o",
                                       "xadd @o,@h", "cmpxchg @h,@o", "cmpxchg @o,@h", "mov @h,@o", "mov @o,@h", "mov @m,@h", "mov @h,@m",
                                       "add @h,@m", "adc @m,@h", "sub @h,@o", "cmp @o,@h", "inc @h", "neg @h", "not @h", "rcl $3,@h", "shl $2,@h",
                                       "ror %cl,@h", "mul @h", "imul @h", "setc @h", "setle @h", "movzbl @h,%eax", "movsbl @h,%edx",
                                       "test @h,@o", "mov @i,@h", "cmpxchg @h,%ah", "cmpxchg %ah,@m"]),
    Class("unary", 0, "", "bwlq", ["inc$ @e", "dec$ @e", "neg$ @e", "not$ @e", "mul$ @e", "imul$ @e", "lock inc$ @m", "lock neg$ @m"]),
    Class("wide", 0, "", "wlq", ["imul$ @e,@r", "imul$ $77,@e,@r", "push $-5", "cmovc$ @e,@r", "cmovle$ @e,@r", "cmovp$ @e,@r",
                                 "bsf$ @e,@r", "bsr$ @e,@r", "movsb$ @m,@r", "movzb$ @m,@r", "shld$ @j,@r,@e", "shrd$ @j,@r,@e",
                                 "shld$ %cl,@r,@e", "shrd$ %cl,@r,@e", "bt$ @j,@e", "bts$ @j,@e", "btr$ @j,@e", "btc$ @j,@e", "bt$ @r,@r",
                                 "bts$ @r,@r", "btc$ @r,@r", "lock btr$ @j,@m"]),
    Class("shifts", 0, "", "bwlq", [op + "$ " + by + ",@e" for op in "shl shr sar rol ror rcl rcr".split() for by in ("@j", "$1", "%cl")]),
    Class("conversions", 0, "", "l", ["cbtw", "cwtl", "cwtd", "cltd", "lahf", "sahf", "stc", "clc", "cmc", "cld", "std", "bswap @l", "setc @m",
                                      "setnp @m", "pushf; pop %{a}", "push $@F; popf", "cpuid", "nop"]),
    Class("division", 0, "", "l", ["xor %edx,%edx; or $3,%ecx; div %ecx", "cltd; mov $-77,%ecx; idiv %ecx",
                                   "movzbl %al,%eax; or $1,%cl; div %cl"]),
    Class("stack", 0, "", "l", ["push @q", "pop @q", "push @q; pop{z} @m", "push{z} @m; pop @q", "lea @m,@q",
                                "lea @m,@l", "push %{sp}; pop @q", "push %{sp}; pop %{sp}", "push $@F; popf", "pushf",
                                "push %{bp}; mov %{sp},%{bp}; sub $24,%{sp}; save; leave", "push $1f; ret; 1:",
                                "xchg %{sp},%{bp}; xchg %{bp},%{sp}", "mov %{sp},@A; xchg %{sp},@=", "mov %{sp},@q; xchg %{sp},@R",
                                "call 1f; 1:", "push @q; push $1f; ret ${b}; 1:", "push @q; push @q; pop{z} (%{sp})", "push @q; pop{z} -{b}(%{sp})",
                                "push @q; push{z} (%{sp})", "mov %{sp},@q; and $-16,%{sp}; mov @R,%{sp}"]),
    Class("others", 0, "", "l", ["rdtsc", "mov %fs,@l", "lfence", "mfence", "pause", "clflush @m", "prefetcht0 @m", "mov %ds,@m",
                                 "fwait"]),
    Class("others of 64 bits", 64, "", "l", ["mov $4,%ecx; 1: addr32 loop 1b", "movabs %al,@A", "movabs @A,%eax", "movabs %rax,@A", "fxsave64 saved"]),
    Class("time of a processor", 64, "rdtscp", "l", ["rdtscp"]),
    Class("kept features", 64, "avx", "l", ["xor %ecx,%ecx; xgetbv"]),
    Class("others of 32 bits", 32, "", "l", ["push %fs; pop %fs", "push %ds; pop @l"]),
    Class("x87 of 32 bits", 32, "", "l", ["ftst", "ficoml @m", "ficomps @m", "ficompl @m"]),
    Class("halves of bits", 64, "bmi1,bmi2,abm,avx", "w", ["tzcnt$ @e,@r", "lzcnt$ @e,@r", "popcnt$ @e,@r"]),
    Class("ciphers", 64, "aes,pclmulqdq,avx", "l", ["aesenc @x,@x", "aesdeclast @v,@x", "aesimc @x,@x", "aeskeygenassist $5,@x,@x", "pclmulqdq $1,@x,@x",
                                                    "vaesenc @x,@x,@x", "vpclmulqdq $16,@x,@x,@x"]),
    Class("random", 64, "rdrand,avx", "l", ["rdrand @l", "rdrand @q"]),
    Class("stack64", 64, "", "l", ["enter $16,$0; leave", "enter $32,$0; lea 40(%rsp),%rsp", "enter $24,$0; save; leave", "cltq", "cqto", "movslq @m,@q", "pushw $7; popw %ax"]),
    Class("stores in pieces", 0, "", "l", ["mov %{sp},keep; mov $@B+64,%{sp}; " + text + "; mov keep,%{sp}" for text in (
        "push @q; push @q; push{z} @m", "call 1f; 1:", "pushf", "push %{sp}; push $-3", "pop @q; pop @q; push @q")]),
    Class("pieces of 64 bits", 64, "", "l", ["mov %rsp,keep; mov $@B+64,%rsp; enter $16,$0; mov keep,%rsp"]),
    Class("pieces of 32 bits", 32, "", "l", ["mov %esp,keep; mov $@B+64,%esp; pusha; mov keep,%esp"]),
    Class("loops", 0, "", "l", ["mov $@c,%ecx; 1: loop 1b", "mov $@c,%ecx; 1: cmp %eax,%edx; loope 1b", "mov $@c,%ecx; 1: dec %dl; loopne 1b",
                                "and $3,%ecx; inc %ecx; 1: add %ecx,%eax; loop 1b", "mov $300,%ecx; 1: loop 1b",
                                "xor %ecx,%ecx; j{c}z 1f; nop; 1:"]),
    Class("repeated", 0, "", "bwlq", ["rep movs$", "rep stos$", "rep lods$", "repe cmps$", "repe scas$", "repne scas$", "movs$", "stos$", "lods$",
                                      "scas$"]),
    Class("repeated32", 32, "", "bwl", ["repne cmps$", "cmps$"]),
    Class("exchange", 0, "", "l", ["cmpxchg8b @A", "lock cmpxchg8b @A", "mov @A,%eax; mov 4+@=,%edx; cmpxchg8b @="]),
    Class("exchange64", 64, "cx16", "l", ["cmpxchg16b @A", "lock cmpxchg16b @A", "mov @A,%rax; mov 8+@=,%rdx; cmpxchg16b @="]),
    Class("decimal", 32, "", "l", ["mov $buf,%ebx; xlat", "aaa", "aas", "daa", "das", "aam", "aad", "pusha", "pusha; popa", "sub $32,%esp; popa",
                                   "call 1f; 1: pop @l", "push %es; pop %es", "incl @l", "decl @l"]),
    Class("bits", 64, "bmi1,bmi2,abm,avx", "lq", ["andn$ @e,@r,@r", "bextr$ @r,@e,@r", "blsi$ @e,@r", "blsmsk$ @e,@r", "blsr$ @e,@r", "bzhi$ @r,@e,@r",
                                                  "mulx$ @e,@r,@r", "pdep$ @e,@r,@r", "pext$ @e,@r,@r", "rorx$ @j,@e,@r", "sarx$ @r,@e,@r",
                                                  "shlx$ @r,@e,@r", "shrx$ @r,@e,@r", "tzcnt$ @e,@r", "lzcnt$ @e,@r", "popcnt$ @e,@r"]),
    Class("carries", 64, "adx,avx", "lq", ["adcx$ @e,@r", "adox$ @e,@r"]),
    Class("sums", 64, "sse4_2", "lq", ["crc32$ @e,@r", "crc32b @m,@l", "crc32w @m,@l"]),
    Class("movbe", 64, "movbe,avx", "wlq", ["movbe$ @m,@r", "movbe$ @r,@m"]),
    Class("x87 loads", 0, "", "l", [*LOADS_NUMBER, "fldt @t"]),
    Class("x87 more loads", 0, "", "l", [*LOADS_NUMBER]),
    Class("x87 stores", 0, "", "l", ["fstl @m", "fstpl @m", "fsts @m", "fstps @m", "fstpt @m", "fistl @m", "fistpl @m", "fistpll @m", "fistps @m",
                                     "fisttpl @m", "fst @s", "fstp @s", "fstp @s", "fnstcw @m", "fnstsw @m", "fnstsw %ax"]),
    Class("x87 stack", 0, "", "l", ["fxch @s", "fxch @s", "fxch @s", "fxch", "fincstp", "ffree @s", "fxtract", "fxtract", "fsincos", "fptan",
                                    "fldl @n; test %eax,%eax; jz 1f; 1: fld1; fxch %st(1)", "fldl @n; test %eax,%eax; jz 1f; 1: fxtract"]),
    Class("x87 sums", 0, "", "l", ["f" + op + ops for op in "add sub subr mul div divr".split()
                                   for ops in (" @s,%st", " %st,@s", "p %st,@s", "l @n", "s @m")]
          + ["fiaddl @m", "fimuls @m", "fabs", "fchs", "fsqrt", "frndint", "fprem", "fprem1", "fscale", "fyl2x", "fyl2xp1", "fpatan", "f2xm1", "fsin",
             "fcos"]),
    Class("x87 compares", 0, "", "l", ["fcom @s", "fcomp @s", "fcompp", "fucom @s", "fucomp @s", "fucompp", "fcomi @s,%st", "fcomip @s,%st",
                                       "fucomi @s,%st", "fucomip @s,%st", "fxam", "fcoml @n", "fcompl @n", "fcoms @m",
                                       "fcmovb @s,%st", "fcmove @s,%st", "fcmovnu @s,%st", "fcmovnbe @s,%st"]),
    Class("x87 states", 0, "", "l", ["fninit", "fnstenv @a", "fnstenv @a; fldenv @=", "fldenv env+28*@u", "fnsave @a", "fnsave @a; frstor @=",
                                     "fldcw word+2*@4", "fxsave saved", "fxsave saved; fxrstor saved", "fnclex", "emms"]),
    Class("mmx", 0, "", "l", ["movq @m,@M", "movq @M,@m", "movd @l,@M", "movd @M,@l", "paddb @M,@M", "pcmpeqd @M,@M", "pcmpeqd %mm3,%mm3; movq %mm3,@m", "pcmpeqd @m,@M", "pxor @M,@M",
                              "pand @M,@M", "psllq $9,@M", "psrlw @M,@M", "punpcklbw @M,@M", "pmovmskb @M,@l", "pshufw $27,@M,@M", "mov $@B,%edi; maskmovq @M,@M",
                              "pmaddwd @m,@M", "packuswb @M,@M", "movntq @M,@m", "pinsrw $2,@l,@M", "movq2dq @M,@x", "movdq2q @x,@M", "cvtpi2ps @M,@x", "cvtpi2pd @m,@x", "cvtpi2pd @M,@x", "cvtpi2ps @m,@x", "cvttpd2pi @x,@M", "cvtps2pi @m,@M",
                              "cvttps2pi @x,@M"]),
    Class("sse", 0, "", "l", ["movups @m,@x", "movups @x,@m", "movaps @v,@x", "movaps @x,@v", "movaps @x,@x", "addps @x,@x", "mulpd @v,@x",
                              "subss @m,@x", "divsd @n,@x", "sqrtsd @n,@x", "sqrtps @x,@x", "pxor @x,@x", "pcmpeqd @x,@x", "pcmpeqd %xmm3,%xmm3; movups %xmm3,@m", "pcmpeqd @v,@x", "pcmpgtb @x,@x",
                              "paddq @v,@x", "psubw @x,@x", "psllq $13,@x", "pslldq $5,@x", "psrldq $3,@x", "pshufd $27,@x,@x", "shufps $177,@x,@x",
                              "unpcklps @x,@x", "punpckhbw @v,@x", "movd @l,@x", "movd @x,@l", "movq @m,@x", "movq @x,@m", "movss @m,@x", "movss @x,@m",
                              "movss @x,@x", "movsd @n,@x", "movsd @x,@x", "movhps @m,@x", "movlps @x,@m", "movhps @x,@m", "movhlps @x,@x", "cvtsi2sd @l,@x",
                              "cvttsd2si @n,@l", "cvtps2pd @x,@x", "cvtsd2ss @n,@x", "cvtdq2ps @x,@x", "ucomisd @n,@x", "comisd @x,@x", "ucomiss @m,@x",
                              "comiss @x,@x", "movmskps @x,@l", "pmovmskb @x,@l", "pextrw $3,@x,@l", "pinsrw $6,@l,@x", "mov $@B,%edi; maskmovdqu @x,@x", "movnti @l,@m",
                              "movntps @x,@v", "andnps @x,@x", "minps @x,@x", "cmpltpd @x,@x", "cmpss $1,@m,@x", "packssdw @x,@x", "pmuludq @x,@x",
                              "stmxcsr @m", "ldmxcsr mode+4*@4", "movdqu @x,@m"]),
    Class("sse4", 64, "sse4_2", "l", ["ptest @x,@x", "ptest @v,@x", "pshufb @x,@x", "palignr $7,@x,@x", "pinsrb $5,@l,@x", "pinsrd $1,@m,@x", "pinsrq $1,@q,@x",
                                      "pextrb $5,@x,@m", "pextrd $2,@x,@m", "pextrq $1,@x,@q", "extractps $2,@x,@m", "insertps $33,@x,@x", "blendvps @x,@x",
                                      "pblendw $77,@x,@x", "pmovzxbw @m,@x", "roundsd $2,@n,@x", "pmulld @x,@x", "pcmpeqq @x,@x", "movddup @m,@x",
                                      "movntdqa @v,@x", "phaddw @x,@x", "dpps $113,@x,@x"]),
    Class("strings of sse4", 64, "sse4_2", "l", ["pcmpistri $@k,@x,@x", "pcmpistrm $@k,@x,@x", "pcmpestri $@k,@x,@x", "pcmpistri $@K,@v,@x", "pcmpestrm $@K,@x,@x"]),
    Class("masked stores", 64, "avx2", "l", ["vmaskmovps @x,@x,@m", "vmaskmovps @y,@y,@m", "vmaskmovpd @x,@x,@m", "vmaskmovpd @y,@y,@m", "vpmaskmovd @x,@x,@m",
                                             "vpmaskmovd @y,@y,@m", "vpmaskmovq @x,@x,@m", "vpmaskmovq @y,@y,@m", "vmaskmovps @m,@x,@x", "vmaskmovps @m,@y,@y",
                                             "vmaskmovpd @m,@y,@y", "vpmaskmovd @m,@x,@x", "vpmaskmovq @m,@y,@y", "mov $@B,%edi; vmaskmovdqu @x,@x"]),
    Class("avx", 64, "avx2", "l", ["vmovups @y,@m", "vmovups @m,@y", "vmovaps @y,@V", "vmovups @x,@m", "vmovups @m,@x", "vaddps @y,@y,@y", "vsubpd @m,@y,@y",
                                   "vxorps @y,@y,@y", "vxorps @x,@x,@x", "vpcmpeqd @y,@y,@y", "vpcmpeqd %ymm3,%ymm3,%ymm3; vmovups %ymm3,@m", "vpcmpeqd @x,@x,@x", "vextracti128 $1,@y,@m", "vextractf128 $0,@y,@m",
                                   "vinserti128 $1,@m,@y,@y", "vperm2i128 $33,@y,@y,@y", "vbroadcastss @m,@y", "vpbroadcastd @x,@y", "vbroadcastsd @m,@y",
                                   "vpermq $57,@y,@y", "vpslldq $5,@y,@y", "vptest @y,@y", "vptest @m,@y", "vtestps @y,@y", "vtestpd @x,@x", "vtestps @m,@x",
                                   "vzeroupper", "vzeroall", "vmovq @x,@m", "vmovd @l,@x", "vmovss @m,@x", "vmovss @x,@x,@x", "vmovsd @x,@m", "vucomisd @n,@x",
                                   "vcvtsi2sd @l,@x,@x", "vcvttsd2si @n,@l", "vpmovmskb @y,@l", "vblendvps @y,@y,@y,@y", "vpblendd $90,@y,@y,@y",
                                   "vpaddq @m,@y,@y", "vpsllvd @y,@y,@y", "vpextrd $2,@x,@m", "vhaddps @y,@y,@y", "vpmovzxbw @m,@y", "vmovntdq @y,@V",
                                   "vsqrtsd @n,@x,@x", "vdivss @m,@x,@x", "vlddqu @m,@y", "vmovhps @x,@m", "vpshufb @y,@y,@y", "vcvtps2pd @m,@y"]),
    Class("gathers", 64, "avx2", "l", ["vpxor %ymm1,%ymm1,%ymm1; mov $buf+64,%rbx; vpmovsxbd few,%ymm1; vpgatherdd %ymm3,(%rbx,%ymm1,1),%ymm2",
                                       "mov $buf+64,%rbx; vpmovsxbq few,%ymm1; vgatherqpd %ymm3,(%rbx,%ymm1,1),%ymm2",
                                       "mov $buf+64,%rbx; vpmovsxbd few,%xmm1; vpgatherdd %xmm3,(%rbx,%xmm1,1),%xmm2"]),
    Class("halves", 64, "f16c,avx", "l", ["vcvtps2ph $0,@y,@m", "vcvtps2ph $0,@x,@x", "vcvtph2ps @m,@y", "vcvtps2ph $0,@x,@m"]),
    Class("fused", 64, "fma,avx", "l", ["vfmadd231sd @n,@x,@x", "vfmadd132ps @y,@y,@y", "vfnmsub213ss @m,@x,@x"]),
    Class("states of xsave", 64, "xsave", "l", ["mov $@7,%eax; xor %edx,%edx; xsave saved", "mov $@7,%eax; xor %edx,%edx; xsave saved; xrstor saved",
                                                "mov $@7,%eax; xor %edx,%edx; xrstor saved"]),
    Class("jumps", 0, "", "l", ["jmp 1f; 1:", "jc 1f; 1:", "test %eax,%eax; jz 1f; 1:", "jp 1f; nop; 1:", "jg 1f; 1:"]),
)

IMMEDIATES = {"j": range(64), "k": (0, 0x08, 0x0c, 0x12, 0x1a, 0x30, 0x38, 0x3a, 0x40, 0x44, 0x4a), "K": (0x01, 0x09, 0x0d, 0x19, 0x39, 0x41, 0x45, 0x4b), "7": (1, 2, 3, 4, 5, 6, 7), "4": range(4), "c": range(1, 9)}
SPECIAL = (0.0, -0.0, float("inf"), float("-inf"), float("nan"), 5e-324, 1e300, 1e19, 1.0, 0.5, -0.25)

SAVE = {64: """
save:   pushf
        push %rdi
        mov log_at,%rdi
{stores}
        mov (%rsp),%rax
        mov %rax,56(%rdi)
        mov 8(%rsp),%rax
        mov %rax,128(%rdi)
        lea 16(%rsp),%rax
        mov %rax,32(%rdi)
        fxsave 192(%rdi)
{vectors}
        cld
        add $1216,%rdi
        mov $buf,%esi
        mov $64,%ecx
        rep movsq
        add $64,%rdi
        mov %rdi,log_at
        mov -1792(%rdi),%rax
        mov -1784(%rdi),%rcx
        mov -1744(%rdi),%rsi
        pop %rdi
        popf
        ret
""", 32: """
save:   pushf
        push %edi
        mov log_at,%edi
{stores}
        mov (%esp),%eax
        mov %eax,56(%edi)
        mov 4(%esp),%eax
        mov %eax,128(%edi)
        lea 8(%esp),%eax
        mov %eax,32(%edi)
        fxsave 192(%edi)
        cld
        add $1216,%edi
        mov $buf,%esi
        mov $128,%ecx
        rep movsl
        add $64,%edi
        mov %edi,log_at
        mov -1792(%edi),%eax
        mov -1784(%edi),%ecx
        mov -1744(%edi),%esi
        pop %edi
        popf
        ret
"""}
EXIT = {64: """
        mov log_at,%rdi
        mov $saved,%esi
        mov $1024,%ecx
        cld
        rep movsb
        mov %rdi,log_at
        mov $log,%esi
        mov log_at,%rdx
        sub %rsi,%rdx
        mov $1,%edi
        mov $1,%eax
        syscall
        .globl at_end
at_end: xor %edi,%edi
        mov $60,%eax
        syscall
""", 32: """
        mov log_at,%edi
        mov $saved,%esi
        mov $1024,%ecx
        cld
        rep movsb
        mov %edi,log_at
        mov $log,%ecx
        mov log_at,%edx
        sub %ecx,%edx
        mov $1,%ebx
        mov $4,%eax
        int $0x80
        .globl at_end
at_end: xor %ebx,%ebx
        mov $1,%eax
        int $0x80
"""}


class Maker:
    """Writes the text of a program."""

    def __init__(self, seed, bits, has, wanted):
        self.r, self.bits = random.Random("%d %d" % (seed, bits)), bits
        self.all = [c for c in TABLE if c.bits in (0, bits) and (not c.needs or has(*c.needs.split(",")))
                    and (not wanted or re.search(wanted, c.name))]
        self.lines, self.calls, self.n, self.runs, self.run = [], 0, 0, [], 0
        self.vectors = 16 if bits == 64 else 8
        self.avx = bits == 64 and has("avx")
        self.memory = self.register = ""
        self.words = dict(zip(("a", "c", "sp", "bp", "z", "b"), ("rax", "rcx", "rsp", "rbp", "q", "8") if bits == 64
                              else ("eax", "ecx", "esp", "ebp", "l", "4")))

    def general(self, size, legacy=False):
        rows = NAMES[:4] if legacy or (self.bits == 32 and size == 0) else NAMES[:self.vectors]
        return "%" + self.r.choice([row for row in rows if not row.startswith("spl")]).split()[size]

    def place(self, align=1, room=64):
        return "buf+%d" % (self.r.randrange(0, BUFFER - room + 1) // align * align)

    def any_memory(self, legacy):
        """Memory by its address, or by a register, which is set before."""
        at = self.place()
        if legacy or self.r.random() < 0.5:
            return at
        base, far = self.general(self.bits // 32 + 1), self.r.choice((0, 8, -100))
        self.emit("mov $%s-%d,%s" % (at, far, base))
        return "%d(%s)" % (far, base)

    def operand(self, letter, size, legacy):
        r = self.r
        if letter == "e":
            letter = r.choice("rm")
        if letter in IMMEDIATES:
            return "$" * (letter == "j") + str(r.choice(IMMEDIATES[letter]))
        if letter in "rlqho":
            self.register = ("%" + r.choice(HIGH) if letter == "h" or (letter == "o" and r.random() < 0.3)
                             else self.general(0, True) if letter == "o"
                             else self.general(size if letter == "r" else 2 if letter == "l" else self.bits // 32 + 1, legacy))
            return self.register
        if letter in "mAva" or letter == "V":
            self.memory = (self.any_memory(legacy) if letter == "m"
                           else self.place({"A": 16, "v": 16, "V": 32, "a": 4}[letter], 112 if letter == "a" else 64))
            return self.memory
        if letter == "i":
            return "$%d" % r.choice((0, 1, -1, r.randrange(-128, 128), r.randrange(-1 << (7, 15, 31, 31)[size], 1 << (7, 15, 31, 31)[size])))
        return {"B": lambda: self.place(), "x": lambda: "%%xmm%d" % r.randrange(self.vectors), "y": lambda: "%%ymm%d" % r.randrange(16),
                "M": lambda: "%%mm%d" % r.randrange(8), "s": lambda: "%%st(%d)" % r.randrange(8), "n": lambda: "nums+8*%d" % r.randrange(32),
                "t": lambda: "longs+16*%d" % r.randrange(16), "F": lambda: str(r.getrandbits(12) & 0xcd5 | 0x202),
                "u": lambda: str(r.randrange(16)), "=": lambda: self.memory, "R": lambda: self.register}[letter]()

    def emit(self, text):
        self.lines.append("        " + text)

    def save(self):
        self.runs.append("; ".join(line.strip() for line in self.lines[self.run:]))
        self.emit("call save")
        self.lines.append("behind_%d:" % (len(self.runs) - 1))
        self.run = len(self.lines)
        self.calls += self.times

    def string(self, text, size):
        far = 96 + 8 * self.r.randrange(20)
        self.emit("mov $buf+%d,%%esi" % far)
        self.emit("mov $buf+%d,%%edi" % (96 + self.r.randrange(280)))
        if self.r.random() < 0.3:
            self.emit("mov $buf+%d,%%edi" % far)             # compares find equal bytes
        if self.r.random() < 0.9:
            self.emit("mov $%d,%%ecx" % self.r.randrange(12))
        else:
            self.emit("and $7,%ecx")
        self.emit(self.r.choice(("cld", "cld", "std")))

    def sizes(self, c):
        return [s for s in c.sizes if s != "q" or self.bits == 64]

    def any(self):
        """A class, one of its texts, and a size."""
        c = self.r.choice(self.classes)
        return c, self.r.choice(c.texts), self.r.choice(self.sizes(c))

    def snippet(self, c, text, suffix):
        size = "bwlq".index(suffix)
        if c.name.startswith("repeated"):
            self.string(text, size)
        for part in text.split(";"):
            part = part.strip()
            for word, value in self.words.items():
                part = part.replace("{%s}" % word, value)
            if part == "save":
                self.save()
                continue
            legacy = "@h" in part or "@o" in part or "%ah" in part
            part = re.sub(r"\$( |$)", suffix + r"\1", part)
            self.emit(re.sub("@(.)", lambda m: self.operand(m[1], size, legacy), part))
            self.n += 1

    def body(self):
        # VEX cannot have x87's or MMX's registers and masked stores in one superblock.
        other = self.r.choice(("x87|mmx", "masked"))
        self.classes = [c for c in self.all if not re.match(other, c.name)] or self.all
        for _ in range(self.r.randrange(8, 24)):
            for _ in range(self.r.choice((1, 1, 1, 2, 3, 5, 8))):
                self.snippet(*self.any())
            self.save()

    def table(self):
        """Each text of the table once in each size."""
        for stack in (False, True):
            todo = [(c, text, size) for c in self.all if bool(re.match("x87|mmx", c.name)) == stack for text in c.texts for size in
                    (self.sizes(c) if re.search(r"\$( |$)", text) else "l")]
            self.r.shuffle(todo)
            while todo:
                for _ in range(self.r.choice((1, 1, 2))):
                    if todo:
                        self.snippet(*todo.pop())
                self.save()

    def code(self, sections):
        registers = [row.split()[self.bits // 32 + 1] for row in NAMES[:self.vectors]]
        for name in registers:
            self.emit("mov $stack+32768,%%%s" % name if name.endswith("sp") else "mov$ $%d,%%%s".replace("$ ", "abs " if self.bits == 64 else " ")
                      % (self.r.getrandbits(self.bits), name))
        for n in range(self.vectors):
            self.emit("movups buf+%d,%%xmm%d" % (16 * n, n))
        self.times = 1
        if sections == 0:
            self.table()
        for k in range(sections):
            self.times = self.r.choice((1, 1, 2, 3))
            if self.times > 1:
                self.emit("movl $%d,count" % self.times)
                self.lines.append("again%d:" % k)
            self.body()
            if self.times > 1:
                self.emit("decl count")
                self.emit("jnz again%d" % k)

    def data(self):
        r = self.r
        few = [struct.pack("<d", r.choice(SPECIAL) if r.random() < 0.4 else r.uniform(-1, 1) * 10 ** r.randrange(-3, 12)) for _ in range(32)]
        longs = [struct.pack("<QH6x", 1 << 63 | r.getrandbits(63), r.randrange(16383 - 40, 16383 + 40) | r.getrandbits(1) << 15) for _ in range(16)]
        envs = [struct.pack("<HHHHHH16x", 0x37f | r.randrange(4) << 10, 0, (r.getrandbits(16) & 0x7f00), 0, 0, 0) for _ in range(16)]
        envs = [e[:8] + struct.pack("<H", sum(r.choice((0, 3)) << 2 * k for k in range(8))) + e[10:] for e in envs]
        buf = bytearray(r.getrandbits(8) if r.random() < 0.8 else 0 for _ in range(BUFFER))
        for k in range(0, BUFFER, 64):      # masks
            buf[k:k + 32] = b"".join(bytes([r.getrandbits(8)] * 3 + [r.choice((0x7f, 0x80))]) for _ in range(8))
        parts = [("buf", bytes(buf)), ("nums", b"".join(few)), ("longs", b"".join(longs)), ("env", b"".join(envs)),
                 ("word", struct.pack("<4H", 0x37f, 0x77f, 0xb7f, 0xf7f)), ("mode", struct.pack("<4I", 0x1f80, 0x3f80, 0x5f80, 0x7f80)),
                 ("few", bytes(r.randrange(100) for _ in range(8)))]
        for name, value in parts:
            self.lines += ["        .balign 64", name + ":", "        .byte " + ",".join(map(str, value))]


def program(seed, bits, has, wanted="", sections=6):
    """The source, of SECTIONS, or of the whole table if that is 0.  How often it calls save, and the number of instructions that are
    tested.  The instructions before each call of save, behind which there is a label."""
    m = Maker(seed, bits, has, wanted)
    m.lines.append("        .text\n        .globl _start, save\n_start:")
    m.code(sections)
    m.emit(EXIT[bits])
    words = "\n".join("        mov %%%s,%d(%%%sdi)" % (name, 8 * k, "r" if bits == 64 else "e") for k, name in enumerate(GENERAL[bits])
                      if name[1:] not in ("sp", "di"))
    vectors = "\n".join("        vmovdqu %%ymm%d,%d(%%rdi)" % (k, AT_YMM + 32 * k) for k in range(16)) if m.avx else ""
    m.lines.append(SAVE[bits].format(stores=words, vectors=vectors))
    m.lines.append("        .data")
    m.data()
    m.lines += ["        .balign 64", "log_at: .long log, 0", "count:  .long 0", "        .balign 8", "keep:   .quad 0", "        .bss", "        .globl log, buf, saved", "        .balign 64",
                "stack:  .skip 65536", "saved:  .skip 1024", "log:    .skip %d" % (RECORD * (m.calls + 1)), ""]
    return "\n".join(m.lines), m.calls, m.n, m.runs


def fields(record, bits):
    """By gdb's name, the registers of a record, each as (number, bytes); and the buffer."""
    have = {}
    for k, name in enumerate(GENERAL[bits]):
        have[name] = record[8 * k:8 * k + bits // 8]
    have["eflags"] = record[AT_FLAGS:AT_FLAGS + 4]
    fx = record[AT_FX:AT_FX + 512]
    have["fctrl"], have["fstat"], have["ftag"], have["mxcsr"] = fx[0:2], fx[2:4], fx[4:5], fx[24:28]
    for k in range(8):
        have["st%d" % k] = fx[32 + 16 * k:42 + 16 * k]
    for k in range(16 if bits == 64 else 8):
        have["xmm%d" % k] = fx[160 + 16 * k:176 + 16 * k]
        if bits == 64:
            have["ymm%dh" % k] = record[AT_YMM + 32 * k + 16:AT_YMM + 32 * k + 32]
    return have, record[AT_BUFFER:AT_BUFFER + BUFFER]
