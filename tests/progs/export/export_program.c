/* See cmd/export/export.t. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define WRONG(e) __builtin_expect(!!(e), 1)

static volatile unsigned sink;
static volatile sig_atomic_t signals;
static void handler(int s) { signals += s; }

__attribute__((noinline)) static unsigned rare(unsigned n) { return sink += n * 3; }
static unsigned step(unsigned n, unsigned k)
{
   if (WRONG(n % 64 == 7)) return rare(n) + 1;
   if (WRONG(k > 1000000)) { sink += n; return rare(k); }
   if (WRONG(n % 128 == 9)) { sink++; return rare(n ^ k); }
   return (n >> 3) ^ (k * 5);
}

int opcode(unsigned n, unsigned k)
{
   switch (n % 9) {
   case 0: return step(n, k);
   case 1: return step(k, n) + 1;
   case 2: return n - k;
   case 3: return n ^ k;
   case 4: return step(n, 3);
   case 5: return n * 2;
   case 6: return rare(n);
   default: return n + k;
   }
}

int main(int argc, char** argv)
{
   unsigned x = 1, n = argc > 1 ? 60000 : 6000;
   char a[300], b[300];

   memset(a, argc, sizeof a);
   __asm__ volatile("rep movsb" : : "S"(a), "D"(b), "c"(sizeof a) : "memory");
   signal(SIGUSR1, handler);
   for (unsigned i = 0; i < n; i++) {
      x += opcode(i * 2654435761u >> 7, x & 0xffff);
      if (i % 1000 == 0)
         raise(SIGUSR1);
   }
   printf("%u %d %s\n", x, (int)signals, b[7] == a[7] ? "same" : "other");
   return 0;
}
