#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static volatile int sink;
static inline int step(int x) { return x % 7 * 3; }
__attribute__((noinline)) static int sum(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += step(i);
    return s;
}
#ifdef CHANGED
__attribute__((noipa)) static int late(int n) { return sum(n) + 1; }
#else
__attribute__((noipa)) static int early(int n) { return sum(n) - 1; }
#endif
static void* work(void* arg)
{
    sink = sum((int)(long)arg);
    return NULL;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, (void*)50L);
    pthread_join(t, NULL);
#ifdef CHANGED
    printf("%d\n", late(900));
#else
    printf("%d\n", early(300));
#endif
    return sink < 0;
}
