/* See cmd/slice/ways.t. */
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>
static char b[64], e[8];
static void* other(void* arg)
{
   b[3] = 'd';
   b[4] = 'e';
   write(1, b + 3, 2);
   return arg;
}
int main(void)
{
   struct iovec v[2] = { { b + 5, 1 }, { b + 8, 2 } };
   pthread_t t;
   for (int i = 0; i < 3; i++)
      b[i] = 'a' + i;
   e[0] = 'E';
   write(1, b, 3);
   write(2, e, 1);
   pthread_create(&t, NULL, other, NULL);
   pthread_join(t, NULL);
   b[5] = 'f';
   b[6] = '!';
   b[8] = 'g';
   b[9] = 'h';
   writev(1, v, 2);
   return 0;
}
