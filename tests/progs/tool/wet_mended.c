/* Instructions that fault after loads; the handler mends the page, and changes what was loaded.  Prints `sum` after each round: the
   last number that each instruction's loads found has a part in it. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

/* Words FAR apart share a place in the mirror. */
enum { WORDS = 4096 / sizeof(long), FAR = (1 << 20) / sizeof(long), ROUNDS = 20 };

static unsigned long *page, *cells;
static volatile unsigned long faults;
volatile unsigned long sum;

static unsigned long next(void)
{
    static unsigned long r = 2463534242u;

    r = r * 1103515245u + 12345;
    return r;
}

static void mend(int s)
{
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    faults++;
    for (int k = 0; k < 8; k++) {
        cells[k] ^= faults << k;
        page[k - 4] += next();
        cells[k + FAR] = page[k - 4 + FAR] = 0;
    }
}

#define RUN(...) \
    mprotect(page, 4096, round & 1 ? PROT_NONE : PROT_READ); \
    __asm__ volatile(__VA_ARGS__ : "=&r"(a), "=&r"(b), "=&r"(c) : "r"(cells), "r"(page) : "memory", "cc", "xmm0"); \
    sum = sum * 31 + a * 3 + b * 5 + c * 7; \
    printf("%lx\n", sum); \
    mprotect(page, 4096, PROT_READ | PROT_WRITE); \
    for (int k = 0; k < 8; k++) \
        page[k - 4] = next(), cells[k] = next(), cells[k + FAR] = page[k - 4 + FAR] = 0;

int main(void)
{
    unsigned long a, b, c;

    page  = (unsigned long *)mmap(NULL, (1 << 20) + 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + WORDS;
    cells = page + WORDS;
    signal(SIGSEGV, mend);
    for (int round = 0; round < ROUNDS; round++) {
        RUN("mov (%3),%0; mov %0,16(%3); mov 8(%3),%1; mov %1,(%4); mov 16(%3),%2; add (%4),%2")
        RUN("mov (%3),%0; add %0,(%4); mov (%3),%1; mov (%4),%2")
        RUN("mov 8(%3),%0; xchg %0,8(%4); mov 8(%4),%1; mov 8(%3),%2")
        RUN("mov 8(%3),%0; mov -3(%4),%1; mov %0,-3(%4); mov (%4),%2")
        RUN("mov (%3),%0; movdqu (%3),%%xmm0; movdqu %%xmm0,-8(%4); mov (%4),%1; mov -4(%4),%2")
        RUN("mov %4,(%3); mov %3,%0; xchg %0,(%3); mov 8(%3),%1; xchg %1,(%0); mov (%0),%2; mov 8(%3),%0")
        RUN("mov 8(%3),%0; and $8,%0; mov (%3,%0),%1; mov (%4,%0),%2; add %2,(%3,%0); mov (%3,%0),%0")
        /* The fault has to find registers and flags that are written again behind it. */
        RUN("mov (%3),%0; not %0; mov (%4),%1; lea (%0,%1),%2; mov %1,%0")
        RUN("mov (%3),%0; add %0,%0; mov (%4),%1; adc %1,%0; lea (%0,%1),%2; add %2,%1")
    }
    return faults < 5 * ROUNDS;
}
