/* why: --output=9100 */
/* Assignments copy a large structure through a ring. */
#include <stdio.h>

struct packet { long time; int from, to, size, kind; unsigned char data[32]; long check; };

static struct packet ring[4];

int main(int argc, char** argv)
{
   for (int i = 0; i < 12; i++) {
      struct packet p = { .time = 1000 + i };
      p.from = i % 3;
      p.to = i % 5;
      p.size = 9000 + i * i * argc;     /* true */
      p.kind = i * argc;
      p.check = i ^ 77;
      ring[i % 4] = p;
      if (i >= 4)
         ring[(i + 1) % 4] = ring[i % 4];
   }
   for (int i = 0; i < 4; i++)
      printf("%ld %d-%d: %d %d %ld\n", ring[i].time, ring[i].from, ring[i].to, ring[i].size, ring[i].kind, ring[i].check);
   return argv[0] == NULL;
}
