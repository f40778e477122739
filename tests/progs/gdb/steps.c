/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Small programs whose states are compared: -DPROGRAM=NAME chooses one. */

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__) || __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 1
#endif

#define NEVER_INLINE __attribute__((noinline))

static volatile long seen;
static __thread int own = 3;
__thread int wide_own = 5;

/*--- Text and numbers                                     ---*/

static int compare(const void* a, const void* b)
{
   int x = *(const int*)a, y = *(const int*)b;

   return (x > y) - (x < y);
}

int plain(void)
{
   int  n[24];
   char text[80];

   for (int i = 0; i < 24; i++)
      n[i] = i * 7 % 24;
   qsort(n, 24, sizeof(n[0]), compare);
   own += snprintf(text, sizeof(text), "%d %s %.3f", n[3], "text", n[5] / 3.0);
   wide_own += own;
   seen += strtol(text, NULL, 10) + (long)strlen(text) + own;
   return seen == 0;
}

/*--- Threads                                              ---*/

void* thread(void* arg)
{
   for (int i = 0; i < 20; i++) {
      own   += i * *(int*)arg;
      errno  = own;
   }
   wide_own = own;
   return (void*)(intptr_t)own;
}

int threads(void)
{
   pthread_t t[2];
   int       n[2] = { 3, 5 };
   void*     result;

   for (int i = 0; i < 2; i++) {
      pthread_create(&t[i], NULL, thread, &n[i]);
      pthread_join(t[i], &result);
      seen += (intptr_t)result;
   }
   return seen == 0;
}

/*--- Client requests                                      ---*/

/* The default of RUNNING_ON_VALGRIND is 0; Valgrind returns another number. */
NEVER_INLINE int requests(void)
{
   for (int i = 0; i < 20; i++)
      seen += RUNNING_ON_VALGRIND << i;
   return seen == 0;
}

/*--- Recursion, longjmp, signals                          ---*/

static NEVER_INLINE unsigned ackermann(unsigned m, unsigned n)
{
   return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1)
          : ackermann(m - 1, ackermann(m, n - 1));
}

int recursion(void)
{
   seen += ackermann(2, 4);
   return seen == 0;
}

static jmp_buf back;

static NEVER_INLINE void down(int n)
{
   seen += n;
   if (n == 0)
      longjmp(back, 7);
   down(n - 1);
}

int jumps(void)
{
   for (int i = 1; i < 12; i++)
      if (setjmp(back) == 0)
         down(i);
   return seen == 0;
}

static void handler(int s, siginfo_t* info, void* context)
{
   (void)context;
   seen += s + info->si_signo;
   if (s == SIGUSR1)
      raise(SIGUSR2);
}

int signals(void)
{
   struct sigaction a;

   memset(&a, 0, sizeof(a));
   a.sa_sigaction = handler;
   a.sa_flags     = SA_SIGINFO;
   sigaction(SIGUSR1, &a, NULL);
   sigaction(SIGUSR2, &a, NULL);
   for (int i = 0; i < 4; i++)
      raise(SIGUSR1);
   return seen == 0;
}

/*--- Instructions of the processor                        ---*/

#if defined(__x86_64__) || defined(__i386__)
static unsigned char from[64], to[64];

/* Execute CODE, a string instruction with N in ECX and A in EAX, from X to Y. */
#define STRING(code, x, y, n, a)                                              \
   do {                                                                       \
      void *s = (x), *d = (y);                                                \
      unsigned long c = (n), v = (a);                                         \
      __asm__ volatile(code : "+S"(s), "+D"(d), "+c"(c), "+a"(v)              \
                       : : "memory", "cc");                                   \
      seen += (long)(c + v) + ((unsigned char*)d - to);                       \
   } while (0)

int rep(void)
{
   for (int i = 0; i < 64; i++)
      from[i] = (unsigned char)(i * 5);
   for (int i = 0; i < 4; i++) {
      STRING("rep movsb", from, to, 13, 0);
      STRING("rep movsl", from + i, to + 16, 5, 0);
      STRING("repe cmpsb", from, to, 20, 0);
      STRING("repne scasb", from, from, 30, 45);
      STRING("std; rep stosw; cld", from, to + 40, 6, 0x1234);
      STRING("lodsb; lodsl", from, to, 1, 0);
      STRING("rep movsb", from, to, 0, 0);
      STRING("movsb; stosl", from, to, 0, 7);
   }
   return seen == 0;
}

/* Execute CODE, which changes X, with Y and a count N in CL. */
#define SETS_FLAGS(code)                                                      \
   do {                                                                       \
      unsigned long z = x;                                                    \
      __asm__ volatile(code : "+b"(z), "+m"(cell), "+a"(a), "+d"(b)           \
                       : "S"(y), "c"(n) : "cc", "memory");                    \
      seen += (long)z;                                                        \
   } while (0)

int flags(void)
{
   static unsigned long cell[2];
   unsigned long        a = 0x81, b = 3, y = (unsigned long)0x8000000180000005, x = 1, n = 1;

   for (int i = 0; i < 7; i++) {
      SETS_FLAGS("rol %%cl, %0; rol $1, %k0; ror $17, %0; rorb %%cl, %b0");
      SETS_FLAGS("shld %%cl, %4, %0; shrd $7, %4, %0; shld $3, %k4, %k0");
      SETS_FLAGS("bt %4, %0; bts $5, %0; btr %k4, %k0; btcl $31, %1");
      SETS_FLAGS("bsf %4, %0; bsr %k0, %k0; bsf %k0, %k0");
      SETS_FLAGS("add %4, %0; sahf; cmc; adc $1, %b0; stc; sbb %4, %0; clc");
      SETS_FLAGS("shl %%cl, %0; sar $3, %w0; shr $1, %b0; neg %k0; inc %w0");
      SETS_FLAGS("imul %4, %0; mul %4; imul $77, %k0, %k0; test %0, %0");
      SETS_FLAGS("lock cmpxchg %4, %1; xadd %0, %1; lock cmpxchgl %k4, %1;"
                 "lock cmpxchg8b %1; xchg %k0, %1");
      x = x * (unsigned long)0x9E3779B97F4A7C15 + 1;
      y = i == 3 ? 0 : y * 77 + x;
      n = n * 5 + (unsigned)i;
   }
   return seen == 0;
}

static volatile double d[4] = { 0.75, -3.5, 1e10, 0.1 };
static volatile float  f = 2.25f;
static volatile short  h = -9;
static volatile int    w = 77;
static volatile long long q = 123456789012345;
static unsigned char   state[1024] __attribute__((aligned(64)));

int x87(void)
{
   unsigned short control = 0x037F, down = 0x077F, status;
   long double    t = d[3];
   double         r;
   int            n;

   for (int i = 0; i < 3; i++) {
      __asm__ volatile("fldl %1; fsin; fldl %1; fcos; faddp; fstpl %0"
                       : "=m"(r) : "m"(d[0]));
      __asm__ volatile("fldl %1; fptan; fxch; fdivp; fsqrt; fstpl %0"
                       : "=m"(r) : "m"(d[0]));
      __asm__ volatile("fldl %1; fsincos; fsubrp; fabs; fchs; fstpl %0"
                       : "=m"(r) : "m"(d[0]));
      __asm__ volatile("flds %1; filds %2; fildl %3; fildll %4; faddp; fmulp;"
                       "fdivrp; fistpl %0"
                       : "=m"(n) : "m"(f), "m"(h), "m"(w), "m"(q));
      seen += n;
      __asm__ volatile("fldcw %2; fldl %1; frndint; fistl %0; fstp %%st(0);"
                       "fldcw %3"
                       : "=m"(n) : "m"(d[1]), "m"(down), "m"(control));
      seen += n;
      __asm__ volatile("fldl %1; fldl %2; fcomi; fcmovb %%st(1), %%st;"
                       "fucom; fnstsw %0; fcompp; fldz; fcoml %1; fnstsw %0;"
                       "fxam; fnstsw %0; fstp %%st(0)"
                       : "=a"(status) : "m"(d[0]), "m"(d[1]) : "cc");
      seen += status;
      __asm__ volatile("fld1; fldpi; fldl2e; fyl2x; f2xm1; fscale; fstp %%st(1);"
                       "fldlg2; fprem; fucom; ffree %%st(1); fincstp; fincstp;"
                       "fld1; fstp %%st(0)"
                       : : : "memory");
      __asm__ volatile("fldt %1; fxtract; faddp; fstpt %0; fldt %0; fstp %%st(0)"
                       : "+m"(t) : "m"(t));
      __asm__ volatile("fld1; fldpi; fnstenv %0; fldenv %0; fnsave %0; fld1;"
                       "frstor %0; fxsave %0; fstp %%st(0); fldz; fxrstor %0;"
                       "fninit; fldpi; fxrstor %0; fstp %%st(0); fstp %%st(0)"
                       : "+m"(state) : : "memory");
      __asm__ volatile("movl %0, %%eax; movd %%eax, %%mm3; paddd %%mm3, %%mm3;"
                       "movq %%mm3, %%mm1; movd %%mm1, %%eax; emms"
                       : : "m"(w) : "eax");
      __asm__ volatile("stmxcsr %0; orl $0x6000, %0; ldmxcsr %0;"
                       "cvtsd2si %1, %%eax; andl $~0x6000, %0; ldmxcsr %0"
                       : "+m"(n) : "m"(d[1]) : "eax");
   }
   return seen == 0;
}
#endif

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))) int avx2(void)
{
   int     n[32];
   __m256i sum = _mm256_setzero_si256(), all;
   __m256d x = _mm256_set_pd(1, 2, 3, 4);

   for (int i = 0; i < 32; i++)
      n[i] = i * i;
   for (int i = 0; i < 32; i += 8) {
      all = _mm256_loadu_si256((const __m256i*)&n[i]);
      sum = _mm256_add_epi32(sum, _mm256_permutevar8x32_epi32(all, sum));
      all = _mm256_i32gather_epi32(n, _mm256_and_si256(all,
                                      _mm256_set1_epi32(31)), 4);
      sum = _mm256_xor_si256(sum, _mm256_srli_epi32(all, 3));
      x   = _mm256_add_pd(x, _mm256_cvtepi32_pd(_mm256_castsi256_si128(sum)));
      x   = _mm256_insertf128_pd(x, _mm_set1_pd(i), 1);
   }
   for (unsigned long k = 1, z = 0; k < 0x1000000000000; k = k * 9 - z)
      __asm__ volatile("blsr %1, %0; blsi %1, %0; blsmsk %1, %0; andn %1, %0, %0;"
                       "bzhi %0, %1, %0; tzcnt %1, %0; lzcnt %1, %0;"
                       "popcnt %k1, %k0; vptest %2, %2; vptest %2, %3"
                       : "+r"(z) : "r"(k), "x"(sum), "x"(all) : "cc");
   _mm256_storeu_si256((__m256i*)n, sum);
   seen += n[3] + (long)_mm256_cvtsd_f64(x);
   _mm256_zeroupper();
   return seen == 0;
}
#endif

#if defined(__aarch64__)
static volatile double d[4] = { 0.75, -3.5, 1e10, 0.1 };
static volatile float  f[4] = { 2.25f, -1, 3e7f, 0.5f };

/* Integers, floating-point numbers, vectors, and flags. */
int numbers(void)
{
   long     x = 0x123456789, y = -77;
   unsigned w = 5;

   for (int i = 0; i < 6; i++) {
      double a = d[i & 3], b = d[(i + 1) & 3];
      float  g = f[i & 3];
      seen += (long)(a * b + a / b) + (a < b) + (g > (float)a) + (int)g;
      __asm__ volatile("subs %0, %0, %1, lsl #3; ccmp %0, #7, #5, gt;"
                       "csinc %0, %0, %1, hi; adcs %1, %1, %0;"
                       "sbcs %w2, %w2, %w0; ands wzr, %w2, #0x3f0; cset %w2, eq;"
                       "ccmn %w2, %w0, #2, ne; csneg %0, %0, %1, vs"
                       : "+r"(x), "+r"(y), "+r"(w) : : "cc");
      __asm__ volatile("fmov d1, %d0; dup v2.2d, v1.d[0]; fcmp %d0, #0.0;"
                       "fcsel d3, d1, d2, mi; ins v2.d[1], %1;"
                       "add v4.4s, v2.4s, v2.4s; xtn2 v4.8h, v2.4s;"
                       "sqadd v5.8h, v4.8h, v2.8h; mrs %1, fpsr; umov %w2, v4.h[6];"
                       "aese v5.16b, v2.16b; tbl v6.16b, {v4.16b, v5.16b}, v2.16b;"
                       "fccmp d1, d3, #3, ge; cinc %1, %1, lt"
                       : : "w"(a), "r"(x), "r"(w)
                       : "v1", "v2", "v3", "v4", "v5", "v6", "cc");
      seen += x + y + w;
   }
   return seen == 0;
}

/* Exclusive accesses, bases that are written back, structures. */
int exclusive(void)
{
   static long cell[16] __attribute__((aligned(64)));
   long        x = 3, y = 4, *at = cell;

   for (int i = 0; i < 5; i++) {
      __asm__ volatile("1: ldaxr %0, [%3]; add %0, %0, %1; stlxr %w1, %0, [%3];"
                       "cbnz %w1, 1b; 2: ldxp %0, %1, [%3]; stxp %w2, %1, %0, [%3];"
                       "cbnz %w2, 2b; stp %0, %1, [%3, #16]!; ldp %1, %0, [%3], #-16;"
                       "ldr %0, [%3, #8]!; str %w1, [%3], #-8; ldrsb %1, [%3], #1;"
                       "sub %3, %3, #1; ld2 {v1.8h, v2.8h}, [%3], #32;"
                       "st3 {v1.b, v2.b, v3.b}[5], [%3], #3; sub %3, %3, #35;"
                       "ld1r {v3.4s}, [%3]; st1 {v1.16b, v2.16b}, [%3];"
                       "ldr q4, [%3], #16; stp d1, d2, [%3, #-16]!; clrex"
                       : "+&r"(x), "+&r"(y), "=&r"(seen), "+&r"(at)
                       : : "memory", "v1", "v2", "v3", "v4");
      cell[3] += __atomic_fetch_add(&cell[5], x, __ATOMIC_SEQ_CST);
   }
   return cell[1] == 0;
}
#endif

#if defined(__aarch64__)
int all(void)
{
   return plain() | requests() | recursion() | jumps() | signals() | numbers() | exclusive();
}
#elif defined(__x86_64__) || defined(__i386__)
int all(void)
{
   return plain() | requests() | recursion() | jumps() | signals() | rep() | flags() | x87();
}
#endif

int dynamic(void)
{
   return plain() | threads();
}

int main(void)
{
   return PROGRAM();
}
