/* A consumer waits for a producer.  With "fibers", two stacks of one thread take turns. */
#include <pthread.h>
#include <stdio.h>
#include <ucontext.h>

#define FAR __attribute__((noinline, noclone))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  change = PTHREAD_COND_INITIALIZER;
static int             is_made, is_waiting;
static volatile int    cell;

FAR static void work(int n)
{
   for (int i = 0; i < n; i++)
      cell += i;
}

FAR static void produce(void) { work(50000); }
FAR static void consume(void) { work(2000); }

static void* producer(void* unused)
{
   pthread_mutex_lock(&lock);
   while (!is_waiting)
      pthread_cond_wait(&change, &lock);
   pthread_mutex_unlock(&lock);
   produce();
   pthread_mutex_lock(&lock);
   is_made = 1;
   pthread_cond_signal(&change);
   pthread_mutex_unlock(&lock);
   return unused;
}

static void* consumer(void* unused)
{
   pthread_mutex_lock(&lock);
   is_waiting = 1;
   pthread_cond_signal(&change);
   while (!is_made)
      pthread_cond_wait(&change, &lock);
   pthread_mutex_unlock(&lock);
   consume();
   return unused;
}

static ucontext_t here, there;
static char       stack[65536];

FAR static void fiber(void)
{
   work(100);
   swapcontext(&there, &here);
   work(300);
}

int main(int argc, char** argv)
{
   pthread_t c, p;

   if (argc > 1) {
      getcontext(&there);
      there.uc_stack.ss_sp   = stack;
      there.uc_stack.ss_size = sizeof(stack);
      there.uc_link          = &here;
      makecontext(&there, fiber, 0);
      swapcontext(&here, &there);
      work(200);
      swapcontext(&here, &there);
      work(400);
      return 0;
   }
   for (int i = 0; i < 5000; i++)
      work(0);
   pthread_create(&c, NULL, consumer, NULL);
   pthread_create(&p, NULL, producer, NULL);
   pthread_join(c, NULL);
   pthread_join(p, NULL);
   return 0;
}
