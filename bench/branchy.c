/* Branches that no predictor can guess: sorting, searching and classifying pseudo-random numbers.

   Like the other kernels it prints a checksum, so that no work can be optimised away and two runs can be seen to
   have done the same. */

#include <stdio.h>
#include <stdlib.h>

#define N 40000

static unsigned state = 1;

static unsigned next(void)
{
   state ^= state << 13;
   state ^= state >> 17;
   state ^= state << 5;
   return state;
}

static void sort(unsigned *a, int n)
{
   while (n > 12) {
      unsigned pivot = a[n / 2];
      int i = 0, j = n - 1;
      while (i <= j) {
         while (a[i] < pivot)
            i++;
         while (a[j] > pivot)
            j--;
         if (i <= j) {
            unsigned t = a[i];
            a[i++] = a[j];
            a[j--] = t;
         }
      }
      sort(a, j + 1);
      a += i;
      n -= i;
   }
   for (int i = 1; i < n; i++) {
      unsigned v = a[i];
      int j = i;
      for (; j > 0 && a[j - 1] > v; j--)
         a[j] = a[j - 1];
      a[j] = v;
   }
}

static int find(const unsigned *a, unsigned v)
{
   int lo = 0, hi = N;
   while (lo < hi) {
      int mid = (lo + hi) / 2;
      if (a[mid] < v)
         lo = mid + 1;
      else
         hi = mid;
   }
   return lo;
}

static unsigned classify(unsigned v)
{
   unsigned r = 0;
   for (int bit = 0; bit < 16; bit++) {
      if (v & 1)
         r = r * 3 + 1;
      else if (r & 2)
         r /= 2;
      v >>= 1;
   }
   return r;
}

int main(int argc, char **argv)
{
   static unsigned a[N];
   unsigned sum = 0;

   for (int round = argc > 1 ? atoi(argv[1]) : 1; round > 0; round--) {
      for (int i = 0; i < N; i++)
         a[i] = next();
      sort(a, N);
      for (int i = 0; i < N; i++) {
         unsigned v = next();
         sum = sum * 31 + find(a, v) + classify(v);
      }
   }
   printf("%u\n", sum);
   return 0;
}
