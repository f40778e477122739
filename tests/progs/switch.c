/* A dense switch (an indirect jump through a table), function pointers, recursion, and string instructions. */
#include <stdio.h>
#include <string.h>

static int step(int op, int x)
{
    switch (op) {
    case 0: return x + 1;
    case 1: return x * 3;
    case 2: return x ^ 0x55;
    case 3: return x >> 1;
    case 4: return x - 7;
    case 5: return -x;
    case 6: return x << 2;
    default: return 0;
    }
}

static int twice(int x) { return 2 * x; }
static int half(int x) { return x / 2; }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int main(void)
{
    static int (*const table[])(int) = { twice, half, fib };
    char buf[300];
    int x = 1;
    for (int i = 0; i < 200; i++)
        x = step(i % 9, x) & 0xffff;
    for (int i = 0; i < 30; i++)
        x += table[i % 3](i % 10);
    memset(buf, 'x', sizeof buf - 1);
    buf[sizeof buf - 1] = 0;
    printf("%d %zu %.10s\n", x, strlen(buf), buf);
    return 0;
}
