/* A few system calls without libc, so that a replay takes no time. */
#if defined(__i386__)
enum { Gettime = 265, Getpid = 20, Getrandom = 355, Brk = 45, Write = 4, Exit = 252 };
#else
enum { Gettime = 228, Getpid = 39, Getrandom = 318, Brk = 12, Write = 1, Exit = 231 };
#endif

static long call(long n, long a, long b, long c)
{
   long r;

#if defined(__i386__)
   __asm__ volatile("int $0x80" : "=a"(r) : "a"(n), "b"(a), "c"(b), "d"(c) : "memory");
#else
   __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
#endif
   return r;
}

void _start(void)
{
   static char text[64] = "tiny\n";
   long        time[2], sum = 0;

   for (int i = 0; i < 20; i++) {
      call(Gettime, 0, (long)time, 0);
      sum += time[1] + call(Getpid, 0, 0, 0);
      call(Getrandom, (long)(text + 8), 8, 0);
      sum += text[9];
   }
   sum += (long)__builtin_ia32_rdtsc();
   long m = call(Brk, 0, 0, 0);
   call(Brk, m + 8192, 0, 0);
   *(long*)m = sum;
   call(Write, 1, (long)text, 5);
   call(Exit, sum & 31, 0, 0);
   __builtin_unreachable();
}
