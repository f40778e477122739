#include <stdio.h>
#include <sys/random.h>

static unsigned seed;

static void set_seed(void)
{
   if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
      seed = 1;
}

static unsigned slot(const char *name)
{
   unsigned h = seed;
   while (*name != 0)
      h = (h ^ (unsigned char)*name++) * 16777619u;
   return h >> 29;
}

int main(void)
{
   static const char *const names[] = { "ann", "ben", "cem", "dora" };
   const char *table[8] = { NULL };
   int lost = 0;
   set_seed();
   for (int i = 0; i < 4; i++) {
      unsigned s = slot(names[i]);
      if (table[s] != NULL)
         lost++;
      table[s] = names[i];
   }
   puts(lost == 0 ? "ok" : "FAILED");
   return lost > 0;
}
