/* threads: four are made and joined, each with another amount of work. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *work(void *arg)
{
    volatile uint64_t sum = 0;
    for (intptr_t i = 0; i < (intptr_t)arg * 1000; i++)
        sum += (uint64_t)i;
    return (void *)(intptr_t)sum;
}

int main(void)
{
    pthread_t t[4];
    for (intptr_t i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < 4; i++) {
        void *r;
        pthread_join(t[i], &r);
        printf("%ld\n", (long)(intptr_t)r);
    }
    return 0;
}
