#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
struct item { int n; struct item *next; };
static volatile int seen;
static struct item *list;
static void handler(int s)
{
    seen += s;
}
static int add(int n)
{
    struct item *i = malloc(sizeof *i);
    i->n = n;
    i->next = n == 3 ? (struct item *)8 : list;
    list = i;
    return n;
}
int main(void)
{
    int sum = 0;
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    for (int i = 0; i < 4; i++)
        sum += add(i);
    for (struct item *i = list; i != NULL; i = i->next)
        sum += i->n;
    printf("%d\n", sum);
    return 0;
}
