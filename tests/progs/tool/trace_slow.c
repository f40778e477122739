/* See tool/trace_slow.t. */
#include <stdlib.h>
static volatile unsigned n;
__attribute__((noinline)) static void seldom(void) { n++; }
__attribute__((noinline)) static unsigned long next(unsigned long x)
{
    return x * 6364136223846793005ul + 1442695040888963407ul;
}
int main(int argc, char **argv)
{
    unsigned long x = 1;
    for (long i = argc > 1 ? atol(argv[1]) : 1; i > 0; i--) {
        x = next(x);
        if (x >> 63)
            n += 3;
        if (x >> 56 == 5)
            seldom();
    }
    return 0;
}
