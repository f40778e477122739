/* A few system calls without libc, so that a replay takes no time. */
static long call(long n, long a, long b, long c)
{
   long r;

   __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
   return r;
}

void _start(void)
{
   static char text[64] = "tiny\n";
   long        time[2], sum = 0;

   for (int i = 0; i < 20; i++) {
      call(228, 0, (long)time, 0);                       /* clock_gettime */
      sum += time[1] + call(39, 0, 0, 0);                /* getpid */
      call(318, (long)(text + 8), 8, 0);                 /* getrandom */
      sum += text[9];
   }
   sum += (long)__builtin_ia32_rdtsc();
   long m = call(12, 0, 0, 0);                           /* brk */
   call(12, m + 8192, 0, 0);
   *(long*)m = sum;
   call(1, 1, (long)text, 5);                            /* write */
   call(231, sum & 31, 0, 0);                            /* exit_group */
   __builtin_unreachable();
}
