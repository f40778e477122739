/* Preloaded: constant randomness, for programs that must run twice in the same way.  LuaJIT places machine code by it. */
#include <string.h>
#include <sys/types.h>

ssize_t getrandom(void *p, size_t n, unsigned flags)
{
   (void)flags;
   memset(p, 0x5a, n);
   return n;
}

int getentropy(void *p, size_t n)
{
   memset(p, 0x5a, n);
   return 0;
}

/* Nothing else is asked for by number in those programs. */
long syscall(long number, void *p, size_t n)
{
   (void)number;
   return getrandom(p, n, 0);
}
