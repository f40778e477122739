/* Handlers that return to another place than they interrupted, in that they change the saved registers.  They let the
   interrupted function call another one, as Go does for a goroutine that has run for long; jump to another function; or go on
   elsewhere in it. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>
#include "counted.h"

#ifdef __x86_64__
#define PC(c) (c)->uc_mcontext.gregs[REG_RIP]
#define SP(c) (c)->uc_mcontext.gregs[REG_RSP]
#define FAULT "ud2"
#else
#define PC(c) (c)->uc_mcontext.pc
#define FAULT ".inst 0"
#endif

static jmp_buf back;

/* interrupt() sends a signal, which comes before the next instruction, where a function may have been called. */
static inline __attribute__((always_inline)) void interrupt(int sig)
{
#ifdef __x86_64__
   long result = SYS_kill;
   __asm__ volatile("syscall" : "+a"(result) : "D"((long)getpid()), "S"((long)sig)
                    : "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc");
#else
   register long x0 __asm__("x0") = getpid(), x1 __asm__("x1") = sig, x8 __asm__("x8") = SYS_kill;
   __asm__ volatile("svc #0" : "+r"(x0), "+r"(x1), "+r"(x8) :
                    : "x2", "x3", "x4", "x5", "x6", "x7", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18",
                      "x30", "memory", "cc");
#endif
}

static NOINLINE void preempted(void)
{
   COUNT("preempted");
   spin(20);
   sink++;
}

static NOINLINE void landed(void)
{
   COUNT("landed");
   spin(30);
   longjmp(back, 1);
}

static void call(int sig, siginfo_t* info, void* context)
{
   ucontext_t* c = context;

   (void)sig;
   (void)info;
   BODY("call");
#ifdef __x86_64__
   SP(c) -= 8;
   *(long*)SP(c) = PC(c);
#else
   c->uc_mcontext.regs[30] = PC(c);
#endif
   PC(c) = (long)preempted;
}

static void jump(int sig, siginfo_t* info, void* context)
{
   (void)sig;
   (void)info;
   BODY("jump");
   PC((ucontext_t*)context) = (long)landed;
}

static void skip(int sig, siginfo_t* info, void* context)
{
   (void)sig;
   (void)info;
   BODY("skip");
   PC((ucontext_t*)context) += sizeof(FAULT) == sizeof("ud2") ? 2 : 4;
}

static NOINLINE void calls(void)
{
   COUNT("calls");
   spin(10);
   interrupt(SIGUSR1);
   spin(11);
}

static NOINLINE void jumps(void)
{
   COUNT("jumps");
   interrupt(SIGUSR2);
   spin(12);
}

static NOINLINE void tries(void)
{
   COUNT("tries");
   if (setjmp(back) == 0)
      jumps();
   spin(14);
}

static NOINLINE void skips(void)
{
   COUNT("skips");
   __asm__ volatile(FAULT);
   spin(13);
}

int main(void)
{
   static char      memory[65536];
   stack_t          other = { .ss_sp = memory, .ss_size = sizeof(memory), .ss_flags = FLAG };
   struct sigaction a = { .sa_flags = SA_SIGINFO | SA_ONSTACK };

   COUNT("main");
   sigaltstack(&other, NULL);
   a.sa_sigaction = call;
   sigaction(SIGUSR1, &a, NULL);
   a.sa_sigaction = jump;
   sigaction(SIGUSR2, &a, NULL);
   a.sa_sigaction = skip;
   sigaction(SIGILL, &a, NULL);
   for (int i = 0; i < 7; i++) {
      calls();
      tries();
      skips();
   }
   tell_counts();
   return 0;
}
