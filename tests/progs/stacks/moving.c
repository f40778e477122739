/* Coroutines that go on in another thread than the one that left them: two threads take turns. */
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>
#include "counted.h"

#define SIZE 65536
#define N    3

static ucontext_t homes[2], co[N];
static int        thread, me, turns;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  turned = PTHREAD_COND_INITIALIZER;

static NOINLINE void yield(void)
{
   COUNT("yield");
   swapcontext(&co[me], &homes[thread]);
}

static NOINLINE void work(int i)
{
   COUNT("work");
   spin(50 + i);
   yield();
   spin(10);
}

static void body(int id)
{
   BODY("body");
   for (int i = 0;; i++)
      work(i + id);
}

static NOINLINE void resume(int id)
{
   COUNT("resume");
   me = id;
   swapcontext(&homes[thread], &co[id]);
}

static void* take_turns(void* arg)
{
   int number = arg != NULL;

   BODY("take_turns");
   pthread_mutex_lock(&lock);
   while (turns < 24) {
      while (turns < 24 && turns % 2 != number)
         pthread_cond_wait(&turned, &lock);
      if (turns < 24) {
         thread = number;
         resume(turns % N);
         turns++;
      }
      pthread_cond_broadcast(&turned);
   }
   pthread_mutex_unlock(&lock);
   return NULL;
}

int main(void)
{
   pthread_t t[2];

   for (int id = 0; id < N; id++) {
      getcontext(&co[id]);
      co[id].uc_stack.ss_sp   = malloc(SIZE);
      co[id].uc_stack.ss_size = SIZE;
      co[id].uc_link          = NULL;
      makecontext(&co[id], (void (*)(void))body, 1, id);
   }
   for (long i = 0; i < 2; i++)
      pthread_create(&t[i], NULL, take_turns, (void*)i);
   for (int i = 0; i < 2; i++)
      pthread_join(t[i], NULL);
   tell_counts();
   return 0;
}
