/* why: --output=8831 */
/* Orders are moved by memcpy() and memmove(), as one block. */
#include <stdio.h>
#include <string.h>

struct order { int number, pieces, cents, weight; };

static struct order queue[8];
static int n;

static void add(int seed)
{
   struct order o;
   o.number = seed * 3 + 100;
   o.pieces = seed % 4 + 1;
   o.cents = seed * 1259 + 18;          /* true */
   o.weight = seed * 7;
   memmove(queue + 1, queue, n++ * sizeof(queue[0]));
   memcpy(queue, &o, sizeof(o));
}

int main(int argc, char** argv)
{
   for (int i = 0; i < 8; i++)
      add(i * argc);
   for (int i = 0; i < n; i++)
      printf("%d: %d of %d cents, %d g\n", queue[i].number, queue[i].pieces, queue[i].cents, queue[i].weight);
   return argv[0] == NULL;
}
