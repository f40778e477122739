/* Values that are made at the begin and near the end; more than a million
   superblocks lie in between. */
#include <stdio.h>
#include <unistd.h>

static unsigned seed = 7;
static int early, late;

static int step(int x)
{
   return x * 3 + 1;
}

static void finish(int n)
{
   late = n & 3;
   late = late + 2;
   printf("late %d\n", late);
   printf("early %d, process %d\n", early, (int)getpid());
   fflush(stdout);
}

int main(int argc, char** argv)
{
   unsigned s = 0;

   early = step(4);
   for (unsigned i = 0; i < 1500000; i++)
      if (i & seed)
         s += i ^ s;
   finish((int)s);
   return argc + (argv[0][0] == 'x');
}
