/* Three children. */
#include <sys/wait.h>
#include <unistd.h>
#include <string.h>
static volatile int n;
int main(void)
{
   for (int i = 0; i < 3; i++)
      if (fork() == 0) {
         while (n < 10 * i)
            n++;
         _exit(strlen("child") - 5);
      }
   while (wait(NULL) > 0)
      n--;
   return 0;
}
