/* See cmd/export/export.t. */
#include <stdio.h>
int n, sum;
__attribute__((noinline)) int count(int k) { n++; if (n % 3 == 0) sum += k; return sum; }
int behind(int i);
__asm__(".text\n.globl behind\n.type behind,@function\nbehind: push %rbx\n mov %edi,%ebx\n test $3,%bl\n je 1f\n call count\n"
        "1: add sum(%rip),%ebx\n mov %ebx,%eax\n test $1,%al\n jne 2f\n mov %ebx,%edi\n call count\n2: pop %rbx\n ret\n"
        ".size behind,.-behind\n");
__attribute__((noinline)) int nested(int i) { return i % 5 == 0 ? i : count(i) + nested(i / 2); }
__attribute__((noinline)) int tail(int i) { if (i & 4) return nested(i); return behind(i); }
int main(void)
{
   int all = 0;
   for (int i = 0; i < 1000; i++) { all += behind(i); if (i % 7 == 0) all ^= nested(i); if (i % 3) all += tail(i); }
   printf("%d %d\n", all, sum);
   return 0;
}
