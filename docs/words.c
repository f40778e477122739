#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
   struct word *next;
   int count;
   char text[4];
};

static struct word *table[1024];
static unsigned factor;

static unsigned hash(const char *s)
{
   unsigned h = 0;
   for (; *s; s++)
      h = h * factor + *s;
   return h % 1024;
}

__attribute__((noinline))
static struct word *find(const char *s)
{
   struct word **bucket = &table[hash(s)];
   struct word *w;
   for (w = *bucket; w; w = w->next)
      if (strcmp(w->text, s) == 0)
         return w;
   w = calloc(1, sizeof *w);
   strcpy(w->text, s);
   w->next = *bucket;
   return *bucket = w;
}

int main(int argc, char **argv)
{
   unsigned random = 1;
   int n = argc > 1 ? atoi(argv[1]) : 1000;
   int again = 0;

   factor = argc > 2 ? atoi(argv[2]) : 1;
   for (int i = 0; i < n; i++) {
      char s[4] = "";
      for (int k = 0; k < 3; k++) {
         random = random * 1103515245 + 12345;
         s[k] = 'a' + (random >> 16) % 26;
      }
      again += find(s)->count++ > 0;
   }
   printf("%d words, %d of them again\n", n, again);
   return 0;
}
