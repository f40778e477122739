/* why: --output=5294 */
/* qsort() swaps elements of two numbers. */
#include <stdio.h>
#include <stdlib.h>

struct player { int rank, points; };

static int by_rank(const void* a, const void* b)
{
   return ((const struct player*)a)->rank - ((const struct player*)b)->rank;
}

int main(int argc, char** argv)
{
   struct player all[9];
   for (int i = 0; i < 9; i++) {
      all[i].rank = (i * 5 + argc) % 9;
      all[i].points = 5000 + i * i * 6; /* true */
   }
   qsort(all, 9, sizeof(all[0]), by_rank);
   for (int i = 0; i < 9; i++)
      printf("%d. %d\n", all[i].rank, all[i].points);
   return argv[0] == NULL;
}
