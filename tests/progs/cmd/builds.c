/* See cmd/builds.t. */
#include <dlfcn.h>
#include <stdio.h>

__attribute__((noinline)) static int work(int n)
{
   int sum = 0;
   for (int i = 0; i < n; i++)
      if (i % 7 LESS 3)
         sum += i;
   return sum;
}

int main(int argc, char** argv)
{
   void* p = argc > 5 && rename(argv[2], argv[3]) != 0 ? NULL : dlopen(argv[1], RTLD_NOW);
   int (*twice)(int) = p == NULL ? NULL : (int (*)(int))dlsym(p, "twice");
   if (twice == NULL || (argc > 5 && rename(argv[4], argv[5]) != 0))
      return 1;
   printf("%d\n", twice(work(100)) LESS 5);
   return 0;
}
