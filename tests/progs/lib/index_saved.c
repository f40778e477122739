static volatile long sink, source = 0x1234567;
static volatile int cells[64];
static long twice(long n)
{
   cells[n % 61] += 1;
   return 2 * n;
}
static long both(long n);
static long (*volatile call_twice)(long) = twice;
static long (*volatile call_both)(long) = both;
static long both(long n)
{
   long other = n + 5;
   __asm__ volatile("" : "+r"(other));
   return call_twice(n) + call_twice(other);
}
int main(void)
{
   long kept = source;
   __asm__ volatile("" : "+r"(kept));
   for (int i = 0; i < 40000; i++)
      sink = call_both(i);
   sink = kept;
   return 0;
}
