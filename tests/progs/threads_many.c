/* threads: sixty, one after another, so that the system's slots for threads are used again and again. */
#include <pthread.h>
#include <stddef.h>

static void *work(void *arg)
{
    ++*(int *)arg;
    return NULL;
}

int main(void)
{
    int n = 0;
    for (int i = 0; i < 60; i++) {
        pthread_t t;
        if (pthread_create(&t, NULL, work, &n) || pthread_join(t, NULL))
            return 1;
    }
    return n != 60;
}
