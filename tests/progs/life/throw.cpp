/* Exceptions thrown through many frames, with destructors on the way, caught and thrown again. */
#include <cstdio>
#include <stdexcept>
#include <string>

static int live, died;

struct guard {
   guard() { live++; }
   ~guard() { live--; died++; }
};

__attribute__((noinline)) static int down(int depth, int what)
{
   guard g;
   if (depth == 0) {
      if (what % 3 == 0)
         throw std::runtime_error("from the bottom");
      if (what % 3 == 1)
         throw what;
      return what;
   }
   if (depth == 20) {
      try {
         return down(depth - 1, what);
      } catch (int k) {
         guard h;
         if (k % 2)
            throw;
         return -k;
      }
   }
   return down(depth - 1, what) + 1;
}

extern "C" __attribute__((noinline)) void caught(void) { __asm__ volatile(""); }

int main()
{
   int sum = 0;
   for (int i = 0; i < 12; i++) {
      try {
         sum += down(40, i);
      } catch (const std::exception &e) {
         sum += std::string(e.what()).size();
         caught();
      } catch (...) {
         caught();
      }
   }
   std::printf("%d %d %d\n", sum, live, died);
   return live;
}
