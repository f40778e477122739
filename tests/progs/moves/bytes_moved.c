/* Each function moves bytes of a and b to r with one instruction.  Byte I of a is I + 1 and that of b I + 17.  So each byte of r that
   is not 0 names the only byte that it is made of, but where the sign of a number fills the rest. */
#include <string.h>
#include <unistd.h>

static volatile unsigned char a[16], b[16];
static unsigned char r[16];

static void fill(void)
{
   for (int i = 0; i < 16; i++) {
      a[i] = (unsigned char)(i + 1);    /* A */
      b[i] = (unsigned char)(i + 17);   /* B */
   }
   memset(r, 0, sizeof(r));
}

static void show(const char* name)
{
   (void)name;
   if (write(1, r, sizeof(r)) != sizeof(r))
      _exit(1);
}

#define VECTOR(name, code) \
   fill(); \
   __asm__ volatile("movdqu %1, %%xmm0\n movdqu %2, %%xmm1\n" code "\n movdqu %%xmm0, %0" \
                    : "=m"(r) : "m"(a), "m"(b) : "xmm0", "xmm1", "memory"); \
   show(name)
#define GENERAL(name, code) \
   fill(); \
   __asm__ volatile("movq %1, %%rax\n movq %2, %%rcx\n" code "\n movq %%rax, %0" \
                    : "=m"(r) : "m"(a), "m"(b) : "rax", "rcx", "cc", "memory"); \
   show(name)

int main(void)
{
   VECTOR("movaps", "movaps %%xmm1, %%xmm0");
   VECTOR("movss", "movss %%xmm1, %%xmm0");
   VECTOR("movsd", "movsd %%xmm1, %%xmm0");
   VECTOR("movq", "movq %%xmm1, %%xmm0");
   VECTOR("movhps", "movhps %2, %%xmm0");
   VECTOR("movlps", "movlps %2, %%xmm0");
   VECTOR("movhlps", "movhlps %%xmm1, %%xmm0");
   VECTOR("movlhps", "movlhps %%xmm1, %%xmm0");
   VECTOR("movhps-out", "movhps %%xmm1, %0\n movdqu %0, %%xmm0");
   VECTOR("punpcklbw", "punpcklbw %%xmm1, %%xmm0");
   VECTOR("punpckhbw", "punpckhbw %%xmm1, %%xmm0");
   VECTOR("punpcklwd", "punpcklwd %%xmm1, %%xmm0");
   VECTOR("punpckhwd", "punpckhwd %%xmm1, %%xmm0");
   VECTOR("punpckldq", "punpckldq %%xmm1, %%xmm0");
   VECTOR("punpckhdq", "punpckhdq %%xmm1, %%xmm0");
   VECTOR("punpcklqdq", "punpcklqdq %%xmm1, %%xmm0");
   VECTOR("punpckhqdq", "punpckhqdq %%xmm1, %%xmm0");
   VECTOR("punpckldq-self", "punpckldq %%xmm0, %%xmm0");
   VECTOR("unpckhpd", "unpckhpd %%xmm1, %%xmm0");
   VECTOR("unpcklps", "unpcklps %%xmm1, %%xmm0");
   VECTOR("pshufd", "pshufd $0x93, %%xmm1, %%xmm0");
   VECTOR("pshufd-memory", "pshufd $0x1e, %%xmm0, %%xmm0");
   VECTOR("shufps", "shufps $0x72, %%xmm1, %%xmm0");
   VECTOR("shufps-self", "shufps $0x2d, %%xmm0, %%xmm0");
   VECTOR("shufpd", "shufpd $1, %%xmm1, %%xmm0");
   VECTOR("psrldq", "psrldq $5, %%xmm0");
   VECTOR("pslldq", "pslldq $3, %%xmm0");
   VECTOR("pinsrw", "pinsrw $5, %2, %%xmm0");
   VECTOR("pxor-or", "pxor %%xmm2, %%xmm2\n por %%xmm2, %%xmm0");
   VECTOR("pextrw", "pextrw $3, %%xmm1, %%eax\n movd %%eax, %%xmm0");
   GENERAL("mov", "mov %%ecx, %%eax");
   GENERAL("mov-byte", "mov %%cl, %%al");
   GENERAL("mov-high", "mov %%ch, %%al");
   GENERAL("movzx", "movzwl %%cx, %%eax");
   GENERAL("movsx", "movswq %%cx, %%rax");
   GENERAL("movsxd", "movslq %%ecx, %%rax");
   GENERAL("cltq", "cltq");
   GENERAL("shr", "shr $24, %%rax");
   GENERAL("shr-32", "shr $16, %%eax");
   GENERAL("sar", "sar $40, %%rax");
   GENERAL("shl", "shl $16, %%rax");
   GENERAL("both", "mov %%eax, %%eax\n shl $32, %%rcx\n or %%rcx, %%rax");
   GENERAL("xchg", "xchg %%rcx, %%rax");
   GENERAL("cmov", "cmp $0, %%rax\n cmovne %%rcx, %%rax");
   GENERAL("push", "push %%rcx\n pop %%rax");
   GENERAL("movq-vector", "movq %%rcx, %%xmm0\n movq %%xmm0, %%rax");
   return 0;
}
