/* See cmd/flame.t. */
#include <setjmp.h>
#define FAR __attribute__((noinline, noclone, used))
jmp_buf env;
static jmp_buf outer;
static volatile int sink;
FAR void after(void) { sink++; }
FAR void leap(void) { sink++; longjmp(env, 1); }
FAR static void level(int n)
{
   if (n == 0 && setjmp(outer) != 0) {
      after();
      return;
   }
   if (n == 3)
      longjmp(outer, 1);
   level(n + 1);
   sink++;
}
void way(void);
__asm__(".text\n.globl way\n.type way, @function\nway: push %rbx\n"
        "sub $64, %rsp\nlea env(%rip), %rdi\ncall _setjmp\nadd $64, %rsp\ntest %eax, %eax\njne 1f\ncall leap\n"
        "1: sub $64, %rsp\ncall after\nadd $64, %rsp\npop %rbx\nret\n.size way, . - way\n");
int main(void) { level(0); way(); return 0; }
