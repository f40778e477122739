/* See cmd/diff.t. */
#define EAT(name, times) { void name(void); for (volatile int i = 0; i < times; i++) name(); }
#ifdef MORE
__attribute__((constructor)) static void more(void) { EAT(almond, 9) EAT(cherry, 11) EAT(elder, 1) }
#endif
int main(void)
{
   EAT(apple, 50)
   EAT(berry, 700)
   EAT(date, 1)
   EAT(fig, 1)
   EAT(plum, 30)
   EAT(prune, 7)
   return 0;
}
