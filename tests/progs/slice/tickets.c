/* Two counters that sell the tickets of one show: a race between a check and what follows.

   right: 0 left
   wrong: -2 left */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct show {
    char title[20];
    int left;
    int sold;
};

struct counter {
    const char *orders;         /* one after the other */
    struct show *show;
    int served, refused;
    int printer[2];             /* a pipe to the printer and back */
    pthread_t thread;
};

static pthread_barrier_t opening;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int print_ticket(struct counter *c, int number)
{
    char line[32];
    int n = snprintf(line, sizeof line, "ticket %d\n", number);
    if (write(c->printer[1], line, n) != n || read(c->printer[0], line, n) != n)
        return -1;
    return 0;
}

static int sell(struct counter *c, int n)
{
    struct show *s = c->show;
    if (s->left < n)
        return 0;
    pthread_barrier_wait(&opening);
    for (int i = 0; i < n; i++)
        if (print_ticket(c, s->sold + i) != 0)
            return 0;
    pthread_mutex_lock(&mutex);
    s->left -= n;                               /* BUG: checked without the lock */
    s->sold += n;
    pthread_mutex_unlock(&mutex);
    return n;
}

static void *serve(void *arg)
{
    struct counter *c = arg;
    char *text = strdup(c->orders), *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        int n = atoi(word);
        if (sell(c, n) == n)
            c->served++;
        else
            c->refused++;
    }
    free(text);
    return NULL;
}

int main(void)
{
    static struct show show = { "The Tempest", 6, 0 };
    static struct counter counters[2] = { { "2 4", &show }, { "2", &show } };
    pthread_barrier_init(&opening, NULL, 2);
    counters[1].orders = "2 2";
    counters[0].orders = "1 3";
    for (int i = 0; i < 2; i++)
        if (pipe(counters[i].printer) != 0
            || pthread_create(&counters[i].thread, NULL, serve, &counters[i]) != 0)
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(counters[i].thread, NULL);
    printf("%s: %d sold\n", show.title, show.sold);
    printf("%d left\n", show.left);
    return 0;
}
