/* See cmd/names.t. */
#include <string.h>
#include <sys/mman.h>
int other(int);
__attribute__((noinline)) int parted(int n) __asm__("\"par;ted\"");
int parted(int n) { volatile int m = n; return m + 1; }
int main(void)
{
   unsigned char code[] = { 0x8d, 0x47, 0x05, 0xc3 };           // lea 5(%rdi), %eax; ret
   void* p = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
   int sum = 0;
   memcpy(p, code, sizeof(code));
   for (int i = 0; i < 9; i++)
      sum += ((int (*)(int))p)(i) + other(i) + parted(i);
   return sum == 0;
}
