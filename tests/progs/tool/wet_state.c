/* See tool/wet_state.t. */
#include <pthread.h>
#include <stdlib.h>
static volatile unsigned seed[4][1024];
static pthread_barrier_t turn;
static void *run(void *arg)
{
    volatile unsigned *mine = arg;
    for (unsigned i = 0; i < 700000; i++) {
        unsigned x = i * 2654435761u;
        x = (x ^ x >> 15) * 2246822519u;
        if (x >> 31)                    /* nothing foretells this branch, so the tape is long */
            mine[x >> 22] += i;
        else
            mine[x >> 22] ^= i;
        if (i % 5000 == 0)
            pthread_barrier_wait(&turn);
    }
    return arg;
}
int main(void)
{
    pthread_t threads[3];
    pthread_barrier_init(&turn, NULL, 4);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, run, (void *)seed[i]);
    run((void *)seed[3]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
