#include <pthread.h>
static int shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *run(void *arg)
{
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&m);
        shared += *(int *)arg;
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void)
{
    pthread_t t[3];
    int n[3] = { 1, 10, 100 };
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, run, &n[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return shared != 444;
}
