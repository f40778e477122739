/* Functions that count their calls themselves: COUNT(name) at the begin of each, and tell_counts() prints "name number".
   BODY(name) is for one that a stack begins with: nobody calls it. */
#include <stdio.h>
#include <string.h>

static struct { const char* name; int n; } counts[32];

static void count(const char* name)
{
   int i = 0;
   while (counts[i].name != NULL && strcmp(counts[i].name, name) != 0)
      i++;
   counts[i].name = name;
   counts[i].n++;
}

#define COUNT(name) count(name)
#define BODY(name)  count("body " name)
#define NOINLINE    __attribute__((noinline, noclone))

static volatile int sink;

static NOINLINE void spin(int n)
{
   COUNT("spin");
   for (int i = 0; i < n; i++)
      sink += i;
}

static void tell_counts(void)
{
   for (int i = 0; counts[i].name != NULL; i++)
      printf("%s %d\n", counts[i].name, counts[i].n);
}
