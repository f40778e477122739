/* Calls and returns: Ackermann's function, a binary tree, and placing queens. */

#include <stdio.h>
#include <stdlib.h>

struct node { struct node *left, *right; unsigned key; };

__attribute__((noinline))
static int ackermann(int m, int n)
{
   if (m == 0)
      return n + 1;
   if (n == 0)
      return ackermann(m - 1, 1);
   return ackermann(m - 1, ackermann(m, n - 1));
}

__attribute__((noinline))
static struct node *insert(struct node *t, struct node *fresh)
{
   if (t == NULL)
      return fresh;
   if (fresh->key < t->key)
      t->left = insert(t->left, fresh);
   else
      t->right = insert(t->right, fresh);
   return t;
}

__attribute__((noinline))
static unsigned walk(const struct node *t, unsigned depth)
{
   return t == NULL ? 0 : walk(t->left, depth + 1) * 3 + walk(t->right, depth + 1) + t->key % (depth + 1);
}

__attribute__((noinline))
static int queens(unsigned columns, unsigned left, unsigned right, unsigned all)
{
   unsigned free = all & ~(columns | left | right);
   int found = 0;
   if (columns == all)
      return 1;
   while (free) {
      unsigned bit = free & -free;
      free ^= bit;
      found += queens(columns | bit, (left | bit) << 1, (right | bit) >> 1, all);
   }
   return found;
}

int main(int argc, char **argv)
{
   static struct node nodes[8000];
   unsigned sum = 0, key = 1;

   for (int round = argc > 1 ? atoi(argv[1]) : 1; round > 0; round--) {
      struct node *tree = NULL;
      for (int i = 0; i < 8000; i++) {
         key = key * 1664525 + 1013904223;
         nodes[i] = (struct node){ NULL, NULL, key >> 8 };
         tree = insert(tree, &nodes[i]);
      }
      sum += walk(tree, 0) + ackermann(2, 200) + queens(0, 0, 0, 0x1FF);
   }
   printf("%u\n", sum);
   return 0;
}
