/* Ends in the way that the argument says. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int stop;

static void* run(void* arg)
{
   while (!stop)
      ;
   return arg;
}

static void* leave(void* arg)
{
   usleep(1000);
   printf("last thread\n");
   fflush(stdout);
   return arg;
}

int main(int argc, char** argv)
{
   const char* how = argc > 1 ? argv[1] : "";
   char*       words[] = { "/bin/echo", "executed", NULL };
   pthread_t   t;

   printf("%s\n", how);
   fflush(stdout);
   if (strcmp(how, "fault") == 0)
      *(volatile int*)16 = 1;
   if (strcmp(how, "trap") == 0)
#if defined(__aarch64__)
      __asm__ volatile("brk #0");
#else
      __asm__ volatile("int3");
#endif
   if (strcmp(how, "thread") == 0 || strcmp(how, "exit") == 0)
      pthread_create(&t, NULL, run, NULL);
   if (strcmp(how, "exit") == 0)
      _exit(9);
   if (strcmp(how, "last") == 0) {
      pthread_create(&t, NULL, leave, NULL);
      pthread_exit(NULL);
   }
   if (strcmp(how, "exec") == 0) {
      execv("/nowhere/at-all", words);
      execv("/bin", words);
      execv(words[0], words);
   }
   stop = 1;
   return 0;
}
