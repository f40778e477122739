/* Shares memory with a child, which a recording does not see: the parent waits for what the child writes there. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
   volatile int* m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
   int           status;

   if (fork() == 0) {
      usleep(1000);
      m[0] = 7;
      _exit(0);
   }
   while (m[0] == 0)
      m[1]++;
   wait(&status);
   printf("%d\n", m[0]);
   return 0;
}
