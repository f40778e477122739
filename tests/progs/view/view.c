#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static volatile int sink;
static int twice(int x) { return 2 * x; }
static int odd(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (k % 3 == 1)
                s += twice(k);
    return s;
}
static void* work(void* arg)
{
    sink = odd((int)(long)arg);
    return NULL;
}
static int compare(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
int main(int argc, char** argv)
{
    int       a[9] = { 5, 3, 8, 1, 9, 2, 7, 4, 6 };
    pthread_t t;
    if (argc > 7)
        return 1;
    pthread_create(&t, NULL, work, (void*)12L);
    pthread_join(t, NULL);
    qsort(a, 9, sizeof(int), compare);
    printf("%d %d\n", odd(20), a[0]);
    return 0;
}
