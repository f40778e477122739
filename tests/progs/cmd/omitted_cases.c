#include <stdio.h>
#include <stdlib.h>
struct item { int price, off; };
static int rate, state, seen[4], last, deepest, size, total, late;
static struct item shop[3] = { { 10, 0 }, { 20, 0 }, { 30, 0 } };
static void discount(struct item *it) {
   it->off = 2;                         /* STORE off */
}
static void set_rate(int to) {
   rate = to;                           /* STORE rate */
}
static int check(int n) {
   last = 1;
   if (n < 5)                           /* BRANCH last */
      return -1;
   last = n;                            /* STORE last */
   return 0;
}
static void walk(int n) {
   int here = n;
   if (n > 20)                          /* BRANCH deepest */
      deepest = n;                      /* STORE deepest */
   if (n > 0)
      walk(n - 1);
   if (here > 40)
      here = 0;
   total += here;
}
static int never(int x) {
   return x + late;                     /* NEVER */
}
static int nobody(int x) {
   return x - 1;                        /* NOBODY */
}
int (*unused)(int) = nobody;
int main(int argc, char **argv) {
   int n = argc > 1 ? atoi(argv[1]) : 3;
   int found = -1, kind = 0, table[8] = { 5, 6, 7, 8, 9, 10, 11, 12 };
   struct item *it = &shop[1];
   if (n > 10)                          /* BRANCH off */
      discount(it);                     /* CALL off */
   if (n > 11)                          /* BRANCH rate */
      set_rate(7);                      /* CALL rate */
   for (int i = 0; i < 3; i++) {
      if (seen[i] > 0)
         break;
      if (table[i] == n)                /* BRANCH found */
         found = i;                     /* STORE found */
   }
   switch (n) {                         /* BRANCH kind */
   case 0: kind = 4; break;
   case 1: kind = 5; break;             /* STORE kind */
   case 2: kind = 6; break;
   case 3: state = 2; break;
   case 4: kind = 7; break;
   case 5: kind = 8; break;
   default: kind = 9;
   }
   if (n == 9)                          /* BRANCH table */
      table[n - 5] = 1;                 /* STORE table */
   if (n > 2)                           /* BRANCH size */
      state = 3;
   else
      size = 4;                         /* STORE size */
   check(n);
   walk(2);
   if (n == 77)                         /* BRANCH never */
      total = never(n);                 /* CALL never */
   while (n < 0)                        /* BRANCH late */
      late++, n++;                      /* STORE late */
   printf("%d\n", it->off);             /* USE off */
   printf("%d\n", rate);                /* USE rate */
   printf("%d\n", found);               /* USE found */
   printf("%d\n", kind);                /* USE kind */
   printf("%d\n", table[4]);            /* USE table */
   printf("%d\n", size);                /* USE size */
   printf("%d\n", last);                /* USE last */
   printf("%d\n", deepest);             /* USE deepest */
   printf("%d\n", late);                /* USE late */
   printf("%d\n", state);               /* USE state */
   return 0;
}
