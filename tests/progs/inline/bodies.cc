/* Functions that are inlined, each with a mark in its body that is executed once in each call. */
#include <csignal>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>

#define MARK(id) __asm__ volatile("nopl " #id "(%%rax)" ::: "memory")
#define INLINE static inline __attribute__((always_inline))
#define FAR __attribute__((noinline))

static volatile int sink;
static jmp_buf where;

FAR int callee(int x) { sink = x; return x + 1; }

/* What it calls returns into it. */
INLINE int through(int x) { MARK(0x101); int y = callee(x); return y + callee(y); }
FAR int use_through(int x) { return through(x); }

/* In a function that calls itself. */
INLINE int step(int x) { MARK(0x102); return x * 3 + sink; }
FAR int deep(int n) { int s = step(n); if (n > 0) s += deep(n - 1); return s + step(s); }

/* It throws, and what catches is another instance. */
INLINE int throwing(int x) { MARK(0x103); if (x % 3 == 0) throw x; return sink + x; }
INLINE int caught(int x) { MARK(0x104); return sink - x; }
FAR int attempt(int x) { try { return throwing(x); } catch (int e) { return caught(e); } }

/* In a signal handler, and in what it interrupts. */
INLINE int quick(int x) { MARK(0x105); return sink ^ x; }
FAR void handler(int) { sink = quick(sink); }
INLINE int raising(int x) { MARK(0x106); raise(SIGUSR1); return sink + x; }
FAR int use_raising(int x) { return raising(x); }

/* At the end of a function that jumps to another one. */
INLINE int last(int x) { MARK(0x107); return callee(x + 1); }
FAR int tail(int x) { return last(x); }

/* longjmp() comes back in front of it. */
INLINE int jumping(int x) { MARK(0x108); sink = x; longjmp(where, 1); return x; }
FAR int jump(int x) { return setjmp(where) == 0 ? jumping(x) : sink; }

/* Most of it is cold. */
INLINE int cold(int x) { MARK(0x109); if (__builtin_expect(x == 7, 0)) { std::puts("seven"); sink = callee(x); std::fflush(stdout); } return x; }
FAR int use_cold(int x) { return cold(x); }

/* Within each other, and at the beginning of a function. */
INLINE int inner(int x) { MARK(0x10a); return x + sink; }
INLINE int outer(int x) { MARK(0x10b); return inner(x) * 2; }
FAR int first(int x) { int y = outer(x); return y > 100 ? callee(y) : y; }

int main()
{
   std::signal(SIGUSR1, handler);
   int s = 0;
   for (int i = 0; i < 11; i++) s += use_through(i);
   s += deep(9);
   for (int i = 0; i < 20; i++) s += attempt(i);
   for (int i = 0; i < 5; i++) s += use_raising(i);
   for (int i = 0; i < 13; i++) s += tail(i);
   for (int i = 0; i < 6; i++) s += jump(i);
   for (int i = 0; i < 30; i++) s += use_cold(i);
   for (int i = 0; i < 17; i++) s += first(i);
   std::printf("%d\n", s);
   return 0;
}
