/* Values that stay in RBX while functions are called that save and restore it, over several chunks of the trace.  Some functions
   do more with what they saved.  Compiled with -O1 -mno-red-zone, for amd64. */
#include <stdio.h>
#include <stdlib.h>

/* keep(VALUE, N, F, ARG): return VALUE.  It is in RBX, while work() is called N times, F(ARG) once, and work() N times. */
long keep(long value, long n, void (*f)(long), long arg);
void work(void);
__asm__(".text\n"
        "work: push %rbx; mov $500, %rbx; 1: dec %rbx; jnz 1b; pop %rbx; ret\n"
        "keep: push %rbx; push %rbp; push %r12; push %r13; push %r14\n"
        "mov %rdi, %rbx; mov %rsi, %rbp; mov %rdx, %r12; mov %rcx, %r13; mov %rsi, %r14\n"
        "1: call work; dec %rbp; jnz 1b\n"
        "mov %r13, %rdi; call *%r12\n"
        "1: call work; dec %r14; jnz 1b\n"
        "mov %rbx, %rax; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx; ret\n");

/* Save RBX, write over it, and restore that. */
static void spoil(long arg)
{
   long other = arg * 7 + 3;            // spoil

   __asm__ volatile("push %%rbx; mov %0, (%%rsp); pop %%rbx" :: "r"(other) : "memory");
}

/* The same with a part of it. */
static void change(long arg)
{
   int other = (int)arg * 9 + 4;        // change

   __asm__ volatile("push %%rbx; movl %0, (%%rsp); pop %%rbx" :: "r"(other) : "memory");
}

/* Save RBX on another stack, and restore it. */
static void swap(long arg)
{
   static long stack[64];

   (void)arg;
   __asm__ volatile("mov %%rsp, %%rcx; mov %0, %%rsp; push %%rbx; mov $9, %%rbx; pop %%rbx; mov %%rcx, %%rsp"
                    :: "r"(stack + 64) : "memory", "rcx");
}

/* Save RBX and restore another word. */
static void other(long arg)
{
   long word = arg * 11 + 5;            // other

   __asm__ volatile("push %0; push %%rbx; pop %%rcx; pop %%rbx" :: "r"(word) : "memory", "rcx");
}

int main(int argc, char** argv)
{
   static long kept[4];
   long        n = atol(argv[1]);
   long        first = argc * 3 + 1;    // value

   kept[0] = keep(first, n, swap, argc); // use swap
   kept[1] = keep(argc * 5 + 1, n, spoil, argc); // use spoil
   kept[2] = keep(argc * 5 + 2, n, change, argc); // use change
   kept[3] = keep(argc * 5 + 3, n, other, argc); // use other
   printf("%ld %ld %ld %ld\n", kept[0], kept[1], kept[2], kept[3]);
   return 0;
}
