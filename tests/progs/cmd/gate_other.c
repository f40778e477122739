/* A function with the name of one of gate.c. */
static volatile int sink;

#ifndef MORE
#define MORE 1
#endif

__attribute__((noinline, noclone)) static int twice(int n)
{
   for (int k = 0; k < 10 * MORE; k++)
      sink += n;
   return sink;
}

int other(int n)
{
   return twice(n) + 1;
}
