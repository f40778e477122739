/* Floating point on hard operands, so that readers have to compute the results: see tests/tool/wet_floats.t.  Each operation
   is an instruction at a label at_..., which runs once for each pair of operands, or for each operand and rounding mode.
   Registers that it may have changed go to standard output: 32 bytes of XMM0 or YMM0, and 8 bytes of RAX. Before those of an
   operation stand 32 bytes with the label, their number, and the register that has the result. */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SIGN (1ull << 63)
#define N(a) (sizeof(a) / sizeof(*(a)))

/* Zeros, denormals, the least and the greatest numbers, infinities, NaNs of all kinds, halfway cases of sums, of integers and of
   conversions to floats. */
static const uint64_t doubles[] = {
   0, SIGN, 1, SIGN | 3, 0x000fffffffffffff, 0x0010000000000000, 0x8010000000000001, 0x3ff0000000000000, 0xbff0000000000001,
   0x3fefffffffffffff, 0x3ca0000000000000, 0x3ca0000000000001, 0xbc90000000000000, 0x7fefffffffffffff, 0xffefffffffffffff,
   0x7ff0000000000000, 0xfff0000000000000, 0x7ff0000000000001, 0xfff4000000000abc, 0x7ff8000000000000, 0xfff8000000000123,
   0x7fffffffffffffff, 0x4340000000000000, 0xc33fffffffffffff, 0x41dfffffffe00000, 0x41e0000000000000, 0xc1e0000000000000,
   0xc1e0000000100000, 0x43dfffffffffffff, 0x43e0000000000000, 0xc3e0000000000000, 0x3fe0000000000000, 0xbfe0000000000000,
   0x3ff8000000000000, 0xc004000000000000, 0x36a0000000000000, 0xb690000000000000, 0x3690000000000001, 0x380fffffe0000000,
   0x47efffffefffffff, 0x47effffff0000000, 0xc7efffffe0000000, 0x3ff0000010000000, 0x3ff0000030000000, 0x5fe3333333333333,
   0x1fe3333333333333, 0x3fd5555555555555, 0x400921fb54442d18
};

static const uint32_t floats[] = {
   0, 0x80000000, 1, 0x807fffff, 0x00800000, 0x3f800000, 0xbf800001, 0x3f7fffff, 0x33800000, 0xb3000001, 0x7f7fffff, 0xff7fffff,
   0x7f800000, 0xff800000, 0x7f800001, 0xffa00abc, 0x7fc00000, 0xffc00123, 0x7fffffff, 0x4b800001, 0x3eaaaaab, 0x5f333333,
   0x1f333333, 0xc0490fdb
};

static const int64_t integers[] = {
   0, 1, -1, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, INT64_MIN + 1, 1ll << 53, (1ll << 53) + 1, (1ll << 53) + 3,
   -(1ll << 53) - 1, (1ll << 24) + 1, (1ll << 24) + 3, 0x7ffffffffffffdff, 0x7ffffffffffffe00, 0x123456789abcdef1,
   -0x123456789abcdef1
};

/* Operation: its code, which uses the registers 0 and 1, or RAX, and changes register 0 or RAX. */
typedef struct {
   const char *name;
   void      (*run)(void);
   char        operands;        // d: doubles, f: floats, i: integers
   char        result;          // v: register 0, g: RAX
   char        needs;           // 2: both operands; 1: one and the mode
   char        avx;
} Operation;

#define DEFINE(name, insn) \
   __asm__(".text\n.globl at_" #name "\nat_" #name ":\n\t" insn "\n\tret"); \
   extern void at_##name(void)

#define FORMS(name) \
   DEFINE(name##sd, #name "sd %xmm1, %xmm0"); \
   DEFINE(name##ss, #name "ss %xmm1, %xmm0"); \
   DEFINE(name##pd, #name "pd %xmm1, %xmm0"); \
   DEFINE(name##ps, #name "ps %xmm1, %xmm0")

FORMS(add);
FORMS(sub);
FORMS(mul);
FORMS(div);
FORMS(min);
FORMS(max);
FORMS(sqrt);
FORMS(cmpeq);
FORMS(cmplt);
FORMS(cmple);
FORMS(cmpunord);
FORMS(cmpneq);
FORMS(cmpnlt);
DEFINE(cvtsd2ss, "cvtsd2ss %xmm1, %xmm0");
DEFINE(cvtss2sd, "cvtss2sd %xmm1, %xmm0");
DEFINE(cvtps2pd, "cvtps2pd %xmm1, %xmm0");
DEFINE(cvtpd2ps, "cvtpd2ps %xmm1, %xmm0");
DEFINE(cvtdq2pd, "cvtdq2pd %xmm1, %xmm0");
DEFINE(cvtdq2ps, "cvtdq2ps %xmm1, %xmm0");
DEFINE(cvtsi2sd, "cvtsi2sdl %eax, %xmm0");
DEFINE(cvtsi2ss, "cvtsi2ssl %eax, %xmm0");
DEFINE(cvtsd2si, "cvtsd2si %xmm1, %eax");
DEFINE(cvttsd2si, "cvttsd2si %xmm1, %eax");
DEFINE(cvtss2si, "cvtss2si %xmm1, %eax");
DEFINE(cvttss2si, "cvttss2si %xmm1, %eax");
DEFINE(andpd, "andpd %xmm1, %xmm0");
DEFINE(andnpd, "andnpd %xmm1, %xmm0");
DEFINE(movsd, "movsd %xmm1, %xmm0");
DEFINE(movss, "movss %xmm1, %xmm0");
DEFINE(movhlps, "movhlps %xmm1, %xmm0");
DEFINE(unpcklps, "unpcklps %xmm1, %xmm0");
DEFINE(unpckhpd, "unpckhpd %xmm1, %xmm0");
DEFINE(shufps, "shufps $0x1b, %xmm1, %xmm0");
#ifdef __x86_64__
DEFINE(cvtsi2sdq, "cvtsi2sdq %rax, %xmm0");
DEFINE(cvtsi2ssq, "cvtsi2ssq %rax, %xmm0");
DEFINE(cvtsd2siq, "cvtsd2siq %xmm1, %rax");
DEFINE(cvttsd2siq, "cvttsd2siq %xmm1, %rax");
DEFINE(cvtss2siq, "cvtss2siq %xmm1, %rax");
DEFINE(vaddpd, "vaddpd %ymm1, %ymm0, %ymm0");
DEFINE(vmulps, "vmulps %ymm1, %ymm0, %ymm0");
DEFINE(vdivpd, "vdivpd %ymm1, %ymm0, %ymm0");
DEFINE(vsubps, "vsubps %ymm1, %ymm0, %ymm0");
DEFINE(vmaxpd, "vmaxpd %ymm1, %ymm0, %ymm0");
DEFINE(vsqrtps, "vsqrtps %ymm1, %ymm0");
DEFINE(vandnpd, "vandnpd %ymm1, %ymm0, %ymm0");
DEFINE(vmulsd, "vmulsd %xmm1, %xmm0, %xmm0");
DEFINE(vsubss, "vsubss %xmm1, %xmm0, %xmm0");
DEFINE(vcvtsd2ss, "vcvtsd2ss %xmm1, %xmm0, %xmm0");
#endif

#define OP(name, operands, result, needs, avx) { "at_" #name, at_##name, operands, result, needs, avx }
#define OPS(name) \
   OP(name##sd, 'd', 'v', 2, 0), OP(name##ss, 'f', 'v', 2, 0), OP(name##pd, 'd', 'v', 2, 0), OP(name##ps, 'f', 'v', 2, 0)

static const Operation operations[] = {
   OPS(add), OPS(sub), OPS(mul), OPS(div), OPS(min), OPS(max), OPS(sqrt), OPS(cmpeq), OPS(cmplt), OPS(cmple), OPS(cmpunord),
   OPS(cmpneq), OPS(cmpnlt),
   OP(cvtsd2ss, 'd', 'v', 1, 0), OP(cvtss2sd, 'f', 'v', 1, 0), OP(cvtps2pd, 'f', 'v', 1, 0), OP(cvtpd2ps, 'd', 'v', 1, 0),
   OP(cvtdq2pd, 'i', 'v', 1, 0), OP(cvtdq2ps, 'i', 'v', 1, 0), OP(cvtsi2sd, 'i', 'v', 1, 0), OP(cvtsi2ss, 'i', 'v', 1, 0),
   OP(cvtsd2si, 'd', 'g', 1, 0), OP(cvttsd2si, 'd', 'g', 1, 0), OP(cvtss2si, 'f', 'g', 1, 0), OP(cvttss2si, 'f', 'g', 1, 0),
   OP(andpd, 'd', 'v', 1, 0), OP(andnpd, 'd', 'v', 1, 0), OP(movsd, 'd', 'v', 1, 0), OP(movss, 'f', 'v', 1, 0),
   OP(movhlps, 'd', 'v', 1, 0), OP(unpcklps, 'f', 'v', 1, 0), OP(unpckhpd, 'd', 'v', 1, 0), OP(shufps, 'f', 'v', 1, 0),
#ifdef __x86_64__
   OP(cvtsi2sdq, 'i', 'v', 1, 0), OP(cvtsi2ssq, 'i', 'v', 1, 0), OP(cvtsd2siq, 'd', 'g', 1, 0), OP(cvttsd2siq, 'd', 'g', 1, 0),
   OP(cvtss2siq, 'f', 'g', 1, 0),
   OP(vaddpd, 'd', 'v', 1, 1), OP(vmulps, 'f', 'v', 1, 1), OP(vdivpd, 'd', 'v', 1, 1), OP(vsubps, 'f', 'v', 1, 1),
   OP(vmaxpd, 'd', 'v', 1, 1), OP(vsqrtps, 'f', 'v', 1, 1), OP(vandnpd, 'd', 'v', 1, 1), OP(vmulsd, 'd', 'v', 2, 1),
   OP(vsubss, 'f', 'v', 2, 1), OP(vcvtsd2ss, 'd', 'v', 1, 1)
#endif
};

typedef struct {
   unsigned char vector[32], general[8];
} Result;

static unsigned char a[32] __attribute__((aligned(32))), b[32] __attribute__((aligned(32)));
static Result        results[N(doubles) * N(doubles)];

/* Fill TO with operands from the N-th on, each STEP behind the one before. */
static void set(unsigned char *to, char operands, unsigned n, unsigned step)
{
   for (unsigned k = 0; k < 8; k++, n += step)
      if (operands == 'd' && k < 4)
         memcpy(to + 8 * k, &doubles[n % N(doubles)], 8);
      else if (operands == 'i' && k < 4)
         memcpy(to + 8 * k, &integers[n % N(integers)], 8);
      else if (operands == 'f')
         memcpy(to + 4 * k, &floats[n % N(floats)], 4);
}

static void run(const Operation *o, Result *to)
{
   uintptr_t general;

   memcpy(&general, b, sizeof(general));
#ifdef __x86_64__
   if (o->avx) {
      __asm__ volatile("vmovups %2, %%ymm0\n\tvmovups %3, %%ymm1\n\tcall *%4\n\tvmovups %%ymm0, %0\n\tvzeroupper"
                       : "=m"(to->vector), "+a"(general) : "m"(a), "m"(b), "r"(o->run) : "xmm0", "xmm1");
      return;
   }
#endif
   __asm__ volatile("movups %2, %%xmm0\n\tmovups %3, %%xmm1\n\tcall *%4\n\tmovups %%xmm0, %0"
                    : "=m"(to->vector), "+a"(general) : "m"(a), "m"(b), "r"(o->run) : "xmm0", "xmm1");
   memcpy(to->general, &general, sizeof(general));
}

static void run_all(const Operation *o)
{
   unsigned n = o->operands == 'd' ? N(doubles) : o->operands == 'f' ? N(floats) : N(integers);
   unsigned others = o->needs == 2 ? n : 4, done = 0;
   char     head[32] = { 0 };

   for (unsigned j = 0; j < others; j++) {
      unsigned mode = 0x1f80 | (o->needs == 2 ? 0 : j << 13);
      __asm__ volatile("ldmxcsr %0" : : "m"(mode));
      for (unsigned i = 0; i < n; i++) {
         set(a, o->operands == 'i' ? 'd' : o->operands, o->needs == 2 ? j : i + j, 1);
         set(b, o->operands, i, 3);
         run(o, &results[done++]);
      }
   }
   snprintf(head, sizeof(head), "%s %u %c", o->name, done, o->result);
   fwrite(head, sizeof(head), 1, stdout);
   fwrite(results, sizeof(*results), done, stdout);
}

int main(void)
{
   int has_avx = __builtin_cpu_supports("avx");

   for (unsigned i = 0; i < N(operations); i++)
      if (!operations[i].avx || has_avx)
         run_all(&operations[i]);
   return 0;
}
