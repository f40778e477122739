/* The level of a member: see docs/slice.md. */
#include <stdio.h>

static int points, level;

static void buy(int price)
{
   points = points + price / 10;
   if (points > 100)
      level = 1;
}

int main(void)
{
   buy(400);
   buy(600);
   printf("%d points, level %d\n", points, level);
   return 0;
}
