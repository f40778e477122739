/* The price of an order: see docs/wet.md. */
#include <stdio.h>
#include <stdlib.h>

static int price;

static int discount(int pieces)
{
   if (pieces > 9)
      return 10;
   return 0;
}

int main(int argc, char** argv)
{
   int pieces = argc > 1 ? atoi(argv[1]) : 12;
   price = pieces * 5;
   price = price - price * discount(pieces) / 100;
   if (price > 50)
      price = price - 2;
   printf("%d\n", price);
   return 0;
}
