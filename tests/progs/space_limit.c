/* Sets its own RLIMIT_AS and reads it back; with an argument as another user.
   Returns the number of what differs. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/resource.h>
int main(int c, char** v) {
   struct rlimit s = { 1 << 20, 1 << 21 }, g, o, half = { 1 << 19, 1 << 20 };
   if (c > 1) { setgid(65534); setuid(65534); }
   if (setrlimit(RLIMIT_AS, &s)) return 1;
   getrlimit(RLIMIT_AS, &g);
   if (s.rlim_cur != 1 << 20 || g.rlim_cur != 1 << 20 || g.rlim_max != 1 << 21) return 2;
   if (prlimit(0, RLIMIT_AS, &half, &o) || o.rlim_cur != 1 << 20) return 3;
   getrlimit(RLIMIT_AS, &g);
   if (g.rlim_cur != 1 << 19 || g.rlim_max != 1 << 20) return 4;
   if (c > 1 && setrlimit(RLIMIT_AS, &s) == 0) return 5;
   s.rlim_cur = 3, s.rlim_max = 2;
   if (setrlimit(RLIMIT_AS, &s) == 0) return 6;
   return 0;
}
