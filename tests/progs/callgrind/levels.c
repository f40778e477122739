/* Functions with several callers and levels of recursion, system calls in several places, and a function that calls back. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) static int leaf(int n)
{
    volatile int s = 0;

    for (int i = 0; i < n; i++)
        s += i;
    return s;
}

__attribute__((noinline)) static int odd(int n);

__attribute__((noinline)) static int even(int n)
{
    return n == 0 ? leaf(3) : odd(n - 1) + 1;
}

__attribute__((noinline)) static int odd(int n)
{
    return n == 0 ? leaf(4) : even(n - 1) + 1;
}

__attribute__((noinline)) static int fact(int n)
{
    return n < 2 ? leaf(2) : n * fact(n - 1) + leaf(n);
}

__attribute__((noinline)) static int first(int n)
{
    return leaf(n) + even(n) + (int)(getppid() == 0);
}

__attribute__((noinline)) static int second(int n)
{
    return leaf(n) + fact(n) + first(n) + (int)(getppid() == 0);
}

static int compare(const void *x, const void *y)
{
    return leaf(1) * 0 + *(const int *)x - *(const int *)y;
}

int main(void)
{
    int   v[20];
    char *text = strdup("a line\n");

    for (int i = 0; i < 20; i++)
        v[i] = i * 7919 % 101;
    qsort(v, 20, sizeof(v[0]), compare);
    printf("%d %d\n", first(5) + second(6), v[3]);
    if (write(1, text, strlen(text)) < 0)
        return 1;
    free(text);
    return 0;
}
