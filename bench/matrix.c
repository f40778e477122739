/* Tight loops: a matrix product and a sum of differences. */

#include <stdio.h>
#include <stdlib.h>

#define N 160

static double a[N][N], b[N][N], c[N][N];

int main(int argc, char **argv)
{
   double sum = 0;

   for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
         a[i][j] = i - j;
         b[i][j] = i * j % 17;
      }
   for (int round = argc > 1 ? atoi(argv[1]) : 1; round > 0; round--) {
      for (int i = 0; i < N; i++)
         for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < N; k++)
               s += a[i][k] * b[k][j];
            c[i][j] = s;
         }
      for (int i = 1; i < N; i++)
         for (int j = 0; j < N; j++) {
            sum += c[i][j] - c[i - 1][j];
            a[i][j] += sum > 0 ? -1 : 1;
         }
   }
   printf("%g\n", sum);
   return 0;
}
