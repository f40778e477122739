/* An indirect function, chosen when the program is loaded; lazy binding: the first call of a library function goes through
   the linker, the others do not; and tail calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int n;

__attribute__((noinline)) int chosen(int k)     { return k + 1; }
__attribute__((noinline)) int not_chosen(int k) { return k + 2; }

static int (*choose(void))(int) { return chosen; }
int indirect(int k) __attribute__((ifunc("choose")));

__attribute__((noinline)) int last(int k) { return k * 2 + n; }
__attribute__((noinline)) int tail(int k) { return last(k + 3); }

int main(void)
{
   char text[32];
   int i;
   for (i = 0; i < 9; i++) {
      n += indirect(i) + tail(i);
      n += atoi(strcpy(text, "17"));
   }
   printf("%d\n", n);
   return 0;
}
