/* setjmp and longjmp through several frames: returns that never happen, and a return site entered by a jump. */
#include <setjmp.h>
#include <stdio.h>

static jmp_buf env;

static void down(int n)
{
    if (n == 0)
        longjmp(env, 7);
    down(n - 1);
}

int main(void)
{
    volatile int round = 0;
    int r = setjmp(env);
    if (++round < 4)
        down(round);
    printf("%d %d\n", r, round);
    return 0;
}
