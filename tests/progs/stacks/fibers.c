/* An event loop with fibers, whose switch is a few instructions: by a function, and for odd fibers by instructions in the
   middle of one.  A fiber's stack is used again when it has ended. */
#include <stdint.h>
#include <stdlib.h>
#include "counted.h"

#define SIZE 16384
#define N    4

typedef struct { void* sp; void* stack; int id, over; } Fiber;

static Fiber  fibers[N];
static void*  loop_sp;
static Fiber* now;

void change(void** from, void* to);
#if defined(__x86_64__)
__asm__(".globl change\n.type change,@function\nchange:\n"
        "push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
        "mov %rsp,(%rdi); mov %rsi,%rsp\n"
        "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret\n.size change,.-change\n");
#define SAVED 6
static NOINLINE void change_within(void** from, void* to)
{
   __asm__ volatile("push %%rbp; push %%rbx; lea 1f(%%rip),%%rax; push %%rax; mov %%rsp,(%0); mov %1,%%rsp; ret\n"
                    "1: pop %%rbx; pop %%rbp"
                    : "+D"(from), "+S"(to) : : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
                      "cc", "memory");
}
#elif defined(__aarch64__)
__asm__(".globl change\n.type change,%function\nchange:\n"
        "stp x29,x30,[sp,#-96]!; stp x19,x20,[sp,#16]; stp x21,x22,[sp,#32]; stp x23,x24,[sp,#48]\n"
        "stp x25,x26,[sp,#64]; stp x27,x28,[sp,#80]; mov x9,sp; str x9,[x0]; mov sp,x1\n"
        "ldp x19,x20,[sp,#16]; ldp x21,x22,[sp,#32]; ldp x23,x24,[sp,#48]; ldp x25,x26,[sp,#64]\n"
        "ldp x27,x28,[sp,#80]; ldp x29,x30,[sp],#96; ret\n.size change,.-change\n");
#define change_within change
#endif

static NOINLINE void wait_for_event(void)
{
   COUNT("wait_for_event");
   if (now->id % 2)
      change_within(&now->sp, loop_sp);
   else
      change(&now->sp, loop_sp);
}

static NOINLINE void serve(int i)
{
   COUNT("serve");
   spin(100 + i);
   wait_for_event();
   spin(10);
}

static void run_fiber(void)
{
   BODY("run_fiber");
   for (int i = 0; i < 5; i++)
      serve(i);
   now->over = 1;
   wait_for_event();
   abort();
}

static NOINLINE void start(Fiber* f, int id)
{
   COUNT("start");
   f->id   = id;
   f->over = 0;
   if (f->stack == NULL)
      f->stack = malloc(SIZE);
   uintptr_t* top = (uintptr_t*)(((uintptr_t)f->stack + SIZE) & ~(uintptr_t)15);
#if defined(__x86_64__)
   *--top = 0;
   *--top = (uintptr_t)run_fiber;
   if (id % 2 == 0)
      for (int i = 0; i < SAVED; i++)
         *--top = 0;
#else
   top -= 12;
   memset(top, 0, 96);
   top[1] = (uintptr_t)run_fiber;
#endif
   f->sp = top;
}

static NOINLINE void dispatch(Fiber* f)
{
   COUNT("dispatch");
   now = f;
   if (f->id % 2)
      change_within(&loop_sp, f->sp);
   else
      change(&loop_sp, f->sp);
   if (f->over)
      start(f, f->id);
}

int main(void)
{
   for (int id = 0; id < N; id++)
      start(&fibers[id], id);
   for (int i = 0; i < 60; i++)
      dispatch(&fibers[i * 7 % N]);
   tell_counts();
   return 0;
}
