/* Four benchmarks as a runner has them: each is a part with a name.  Then a part ends in the middle of a recursion. */

#include <valgrind/callgrind.h>

__attribute__((noinline)) static int work(int n)
{
    volatile int s = 0;

    for (int i = 0; i < n; i++)
        s += i;
    return s;
}

__attribute__((noinline)) static int down(int n)
{
    if (n == 2)
        CALLGRIND_DUMP_STATS_AT("inside");
    return n < 1 ? work(3) : down(n - 1) + 1;
}

int main(void)
{
    static char name[] = "benchmark 0";

    for (int i = 1; i < 5; i++) {
        name[10] = (char)('0' + i);
        CALLGRIND_START_INSTRUMENTATION;
        CALLGRIND_ZERO_STATS;
        work(100 * i);
        CALLGRIND_STOP_INSTRUMENTATION;
        CALLGRIND_DUMP_STATS_AT(name);
    }
    CALLGRIND_START_INSTRUMENTATION;
    return down(4) == 0;
}
