/* As many threads as the argument says, one after the other longer. */
#include <pthread.h>
#include <stdlib.h>
static void* work(void* arg)
{
   volatile long s = 0;
   for (long i = 0; i < (long)arg; i++)
      s += i;
   return NULL;
}
int main(int argc, char** argv)
{
   pthread_t t[8];
   int n = atoi(argv[1]);
   for (int i = 0; i < n; i++)
      pthread_create(&t[i], NULL, work, (void*)(long)(10 * i));
   for (int i = 0; i < n; i++)
      pthread_join(t[i], NULL);
   return 0;
}
