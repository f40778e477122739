/* See cmd/flame.t.  It is stripped, but for its dynamic symbols.  drop() has no symbol, and only release() leads to it: by a
   jump.  land() has none either.  The place behind its setjmp() begins a routine, as longjmp() goes there, too. */
#include <setjmp.h>
#define FAR __attribute__((noinline, noclone))
static jmp_buf env;
static volatile int sink;
FAR void release(int n);
static FAR void drop(int n)
{
   sink++;
   release(n - 1);
   if (n > 2)
      release(n - 2);
   sink++;
}
FAR void release(int n)
{
   if (n > 0)
      drop(n);
}
static FAR void leap(int n)
{
   if (n == 0)
      longjmp(env, 1);
   leap(n - 1);
   sink++;
}
static FAR void land(int n)
{
   if (n > 0)
      land(n - 1);
   if (setjmp(env) == 0)
      leap(n);
   else
      release(n);
   sink++;
}
int main(void)
{
   release(4);
   land(3);
   return 0;
}
