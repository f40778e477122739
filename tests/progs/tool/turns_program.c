/* See tool/turns.t. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 25
static int there[2], back[2];
static volatile sig_atomic_t signals;
static volatile unsigned cell;

static void handler(int s) { signals += s; }
__attribute__((noinline)) void ping(void) { cell++; }
__attribute__((noinline)) void pong(void) { cell += 2; }

static void* other(void* arg)
{
   char c;
   for (int i = 0; i < ROUNDS; i++) {
      if (read(there[0], &c, 1) != 1) return NULL;
      pong();
      if (write(back[1], &c, 1) != 1) return NULL;
   }
   return arg;
}

static void* busy(void* arg)
{
   for (unsigned i = 0; i < 120000; i++)
      cell += i;
   return arg;
}

int main(int argc, char** argv)
{
   pthread_t a, b;
   char c = 0, s[100], t[100];
   struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_RESTART };

   sigaction(SIGUSR1, &sa, NULL);
   if (pipe(there) != 0 || pipe(back) != 0) return 1;
   pthread_create(&a, NULL, other, NULL);
   for (int i = 0; i < ROUNDS; i++) {
      ping();
      if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1) return 1;
   }
   pthread_join(a, NULL);
   pthread_create(&a, NULL, busy, NULL);
   pthread_create(&b, NULL, busy, NULL);
   for (int i = 0; i < 20; i++) {
      pthread_kill(i % 2 ? a : b, SIGUSR1);
      memset(s, i, sizeof s);
      __asm__ volatile("rep movsb" : : "S"(s), "D"(t), "c"(sizeof s) : "memory");
      cell += t[5];
   }
   pthread_join(a, NULL);
   pthread_join(b, NULL);
   raise(SIGUSR1);
   if (argc > 1 && fork() == 0) { ping(); return argv == NULL; }
   wait(NULL);
   pthread_create(&a, NULL, busy, NULL);
   return 0;                    /* while it runs */
}
