/* See tool/xray_judges.t. */
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static volatile int cell;
static jmp_buf back;

__attribute__((noinline)) int leaf(int n) { for (int i = 0; i < n; i++) cell = cell + i; return n; }
__attribute__((noinline)) int tail(int n) { cell = n; return leaf(n + 1); }
__attribute__((noinline)) void thrower(int n) { if (n > 2) throw std::runtime_error("far"); leaf(n); }
__attribute__((noinline)) void jumper(int n) { if (n == 0) longjmp(back, 1); jumper(n - 1); }
__attribute__((noinline)) unsigned long long operator""_name(unsigned long long n) { return n + leaf(3); }
template<class T> __attribute__((noinline)) T twice(T x) { return leaf(2) + 2 * x; }
static void handler(int) { leaf(5); }

int main()
{
   signal(SIGUSR1, handler);
   for (int i = 0; i < 50; i++) {
      tail(i);
      try { thrower(i); } catch (const std::exception&) { leaf(1); }
   }
   if (setjmp(back) == 0)
      jumper(7);
   raise(SIGUSR1);
   std::thread other([] { for (int i = 0; i < 20; i++) twice<long>(i); });
   other.join();
   auto quoted = [](const std::string& s) { return s.size() + 7_name; };
   return quoted("\"\\") == 0;
}
