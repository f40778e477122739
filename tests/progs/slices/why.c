#include <stdio.h>
#include <stdlib.h>
struct line { int pieces, discount; };
static int total, level; static void set(int n) { level = n; }
static int percent(int part, int whole) {
   int once = part * 100;
   return once / whole;
}
static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
int main(int argc, char **argv) {
   struct line l = { atoi(argv[1]), 10 };
   int a[3] = { 3, 4, 5 };
   double rate = l.discount * 0.007;
   total = percent(l.pieces, 50);
   if (total > 9)
      total += a[l.pieces - 11] + (int)(rate * 100);
   total += fact(3);
   printf("total %d\n", total);
   if (argc > 5) set(1); if (argc > 6) set(2); if (argc > 7) set(3);
   printf("level %d\n", level);
   return 0;
}
