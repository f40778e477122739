/* threads: detached ones, which say by a semaphore that they are through; nobody joins them. */
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

static sem_t done;

static void *work(void *arg)
{
    volatile intptr_t n = (intptr_t)arg * 100;
    while (n > 0)
        n--;
    sem_post(&done);
    return NULL;
}

int main(void)
{
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    sem_init(&done, 0, 0);
    for (intptr_t i = 0; i < 3; i++) {
        pthread_t t;
        pthread_create(&t, &attr, work, (void *)(i + 1));
    }
    for (int i = 0; i < 3; i++)
        sem_wait(&done);
    return 0;
}
