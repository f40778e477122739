/* Threads in every state: work() is called once by each thread that runs to its end.  Arguments: a way and a number. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int n;
static volatile unsigned long spins;
static pthread_barrier_t all_there;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static int done;

__attribute__((noinline)) void work(void)    { n++; }
__attribute__((noinline)) void cleanup(void *arg) { (void)arg; n += 2; }

static void *once(void *arg)
{
   work();
   return arg;
}

static void *together(void *arg)
{
   pthread_barrier_wait(&all_there);
   work();
   pthread_barrier_wait(&all_there);
   return arg;
}

static void *tell(void *arg)
{
   work();
   pthread_mutex_lock(&lock);
   done++;
   pthread_cond_signal(&change);
   pthread_mutex_unlock(&lock);
   return arg;
}

/* Cancelled in a system call, in a loop that tests for it, or anywhere in one that does not. */
static void *cancelled(void *arg)
{
   long k = (long)arg;
   pthread_cleanup_push(cleanup, NULL);
   if (k % 3 == 2)
      pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
   pthread_barrier_wait(&all_there);
   for (;;) {
      if (k % 3 == 0)
         pause();
      else if (k % 3 == 1)
         pthread_testcancel();
      spins++;
   }
   pthread_cleanup_pop(0);
   return arg;
}

static void *forever(void *arg)
{
   pthread_barrier_wait(&all_there);
   for (;;)
      if ((long)arg % 2)
         pause();
      else
         spins++;
}

int main(int argc, char **argv)
{
   const char *way = argc > 1 ? argv[1] : "series";
   int count = argc > 2 ? atoi(argv[2]) : 10, i;
   pthread_t *t = calloc(count, sizeof *t);
   pthread_attr_t small, detached;

   pthread_attr_init(&small);
   pthread_attr_setstacksize(&small, 65536);
   pthread_attr_init(&detached);
   pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
   pthread_barrier_init(&all_there, NULL, count + (strcmp(way, "together") != 0));
   for (i = 0; i < count; i++) {
      void *arg = (void *)(long)i;
      if (!strcmp(way, "together"))
         pthread_create(&t[i], &small, together, arg);
      else if (!strcmp(way, "detached"))
         pthread_create(&t[i], &detached, tell, arg);
      else if (!strcmp(way, "cancelled"))
         pthread_create(&t[i], &small, cancelled, arg);
      else if (!strcmp(way, "running"))
         pthread_create(&t[i], &small, forever, arg);
      else {
         pthread_create(&t[i], &small, once, arg);
         pthread_join(t[i], NULL);
      }
   }
   if (!strcmp(way, "together"))
      for (i = 0; i < count; i++)
         pthread_join(t[i], NULL);
   if (!strcmp(way, "detached")) {
      pthread_mutex_lock(&lock);
      while (done < count)
         pthread_cond_wait(&change, &lock);
      pthread_mutex_unlock(&lock);
   }
   if (!strcmp(way, "cancelled") || !strcmp(way, "running"))
      pthread_barrier_wait(&all_there);
   if (!strcmp(way, "cancelled"))
      for (i = 0; i < count; i++) {
         pthread_cancel(t[i]);
         pthread_join(t[i], NULL);
      }
   return 0;
}
