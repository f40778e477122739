#include <setjmp.h>
#include <signal.h>
#include <string.h>
static jmp_buf back;
static volatile int seen, sum, steps;
static char text[64], copy[64];
static void handler(int s) { seen += s; }
static int depth(int n)
{
    sum += n;
    if (n == 7)
        longjmp(back, n);
    return n == 0 ? 1 : depth(n - 1) + n;
}
int main(void)
{
    signal(SIGUSR1, handler);
    for (int i = 0; i < 3; i++)
        raise(SIGUSR1);
    memset(text, 'x', 40);
    __asm__ volatile("rep movsb" : : "D"(copy), "S"(text), "c"(20) : "memory");
    sum = depth(4);
    if (setjmp(back) == 0)
        depth(9);
    for (int i = 0; i < 300; i++) steps += i;
    return sum == 5 && copy[3] == 'x';
}
