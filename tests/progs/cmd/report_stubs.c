/* See cmd/report.t. */
#include <string.h>
int far_away(int);
static volatile int sink;
static char text[64];
__attribute__((noinline, noclone)) int tail(int n) { sink = n; return far_away(n + 1); }
__attribute__((noinline, noclone)) int back(int n) { while (n-- > 0) sink = n; return sink; }
int main(void)
{
   for (int i = 0; i < 100; i++)
      sink += far_away(i);
   for (int i = 0; i < 30; i++)
      sink += tail(i) + back(4);
   for (int i = 0; i < 50; i++) {
      text[i] = 'a';
      sink += strcmp(text, (char*)&sink);
   }
   return 0;
}
