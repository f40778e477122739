/* Built twice, the second time with -DNEW: which change is made is the value of NEW. */
#include <stdio.h>
#include <stdlib.h>

#if NEW == 2 || NEW == 3
__attribute__((noinline)) static int added(int n)
{
   volatile int k = n;

   while (k > 100)
      k -= 7;
   return k;
}
#endif

#if NEW == 1
#define LIMIT 6
#else
#define LIMIT 5
#endif

__attribute__((noinline)) static int steady(const int* all, int n)
{
   int sum = 0;

   for (int i = 0; i < n; i++)
      if (all[i] > 2)
         sum += all[i];
   return sum;
}

__attribute__((noinline)) static int changed(const int* all, int n)
{
   int over = 0;

   for (int i = 0; i < n; i++) {
#if NEW == 2
      if (all[i] == 3)
         over += added(i);
#endif
      if (all[i] > LIMIT) /* parts here: limit */
         over++;
   }
   return over;
}

int main(int argc, char** argv)
{
   int all[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

#if NEW == 3
   if (argc > 100)
      printf("%d\n", added(argc));
#endif
   all[0] = argc > 1 ? atoi(argv[1]) : 0;
   printf("%d\n", steady(all, 8) + changed(all, 8)); 
   return 0;
}
