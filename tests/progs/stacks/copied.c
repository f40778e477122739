/* A coroutine whose stack its creator copies to a larger place, as Go does, in the middle of a recursion.  On x86, a function
   asks for more at its begin, and then begins again. */
#include <stdint.h>
#include <stdlib.h>
#include "counted.h"

#ifndef SIZE
#define SIZE 16384
#endif
#define N    6

#define SEEN __attribute__((used))

static SEEN void* home_sp;
static char*      stack;        // begin of the coroutine's stack,
static SEEN void* sp;           // its stack pointer while it waits,
static int        size = SIZE;
static SEEN int   grows, enough;
static int        over;

void change(void** from, void* to);
void again(void);
#if defined(__x86_64__)
__asm__(".text\n.globl change\n.type change,@function\nchange:\n"
        "push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
        "mov %rsp,(%rdi); mov %rsi,%rsp\n"
        "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret\n.size change,.-change\n");
__asm__(".text\n.globl again\n.type again,@function\nagain:\n"
        "cmpl $0,enough(%rip); jne 1f; movl $1,enough(%rip); movl $1,grows(%rip)\n"
        "lea sp(%rip),%rdi; mov home_sp(%rip),%rsi; call change; jmp again\n1: ret\n.size again,.-again\n");
#elif defined(__aarch64__)
__asm__(".text\n.globl change\n.type change,%function\nchange:\n"
        "stp x29,x30,[sp,#-96]!; stp x19,x20,[sp,#16]; stp x21,x22,[sp,#32]; stp x23,x24,[sp,#48]\n"
        "stp x25,x26,[sp,#64]; stp x27,x28,[sp,#80]; mov x9,sp; str x9,[x0]; mov sp,x1\n"
        "ldp x19,x20,[sp,#16]; ldp x21,x22,[sp,#32]; ldp x23,x24,[sp,#48]; ldp x25,x26,[sp,#64]\n"
        "ldp x27,x28,[sp,#80]; ldp x29,x30,[sp],#96; ret\n.size change,.-change\n");
void again(void)
{
}
#endif

static NOINLINE void pause(int grow)
{
   COUNT("pause");
   grows = grow;
   change(&sp, home_sp);
}

/* No address of the stack is in it but those of calls. */
static NOINLINE int nest(int n)
{
   COUNT("nest");
   spin(10 + n);
   pause(n % 2);
   COUNT("again");
   enough = n % 2;
   again();
   return n == 0 ? 1 : 1 + nest(n - 1);
}

static void run_fiber(void)
{
   BODY("run_fiber");
   sink += nest(N);
   over = 1;
   pause(0);
   abort();
}

static NOINLINE void enlarge(void)
{
   COUNT("enlarge");
   const size_t used = stack + size - (char*)sp;
   char*        larger = aligned_alloc(16, 2 * size);

   memcpy(larger + 2 * size - used, sp, used);
   memset(stack, 0xee, size);
   stack = larger;
   size *= 2;
   sp    = stack + size - used;
}

static NOINLINE void enter(void)
{
   COUNT("enter");
   change(&home_sp, sp);
   if (grows)
      enlarge();
}

int main(void)
{
   stack = aligned_alloc(16, size);
   uintptr_t* top = (uintptr_t*)(stack + size);
#if defined(__x86_64__)
   *--top = 0;
   *--top = (uintptr_t)run_fiber;
   for (int i = 0; i < 6; i++)
      *--top = 0;
#else
   top -= 12;
   memset(top, 0, 96);
   top[1] = (uintptr_t)run_fiber;
#endif
   sp = top;
   while (!over)
      enter();
   tell_counts();
   return 0;
}
