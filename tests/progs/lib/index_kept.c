#include <pthread.h>
static volatile long sink, source = 0x1234567;
static volatile int cells[64];
static volatile char less[64];
static void* work(void* arg)
{
   long kept = source;
   __asm__ volatile("" : "+r"(kept));
   for (int i = 0; i < 40000; i++) {
      cells[i % 61] += i;
      less[i % 61] = cells[i % 7] < i;
   }
   sink = kept;
   return arg;
}
int main(int argc, char** argv)
{
   pthread_t t[2];
   (void)argv;
   for (long i = 0; i < 2; i++)
      pthread_create(&t[i], 0, work, (void*)(i + 5));
   for (int i = 0; i < 2; i++)
      pthread_join(t[i], 0);
   work((void*)(long)argc);
   work((void*)(long)argc);
   return 0;
}
