/* threads: the process ends while one waits in a system call, one computes, and one has only just begun to wait. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_barrier_t ready;

static void *sleeper(void *arg)
{
    pthread_barrier_wait(&ready);
    pause();
    return arg;
}

static void *runner(void *arg)
{
    volatile unsigned long n = 0;
    pthread_barrier_wait(&ready);
    for (;;)
        n++;
    return arg;
}

static void *leaver(void *arg)
{
    pthread_barrier_wait(&ready);
    usleep(20000);
    exit(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_barrier_init(&ready, NULL, 4);
    pthread_create(&t, NULL, sleeper, NULL);
    pthread_create(&t, NULL, runner, NULL);
    pthread_create(&t, NULL, leaver, NULL);
    pthread_barrier_wait(&ready);
    pthread_join(t, NULL);
    return 1;
}
