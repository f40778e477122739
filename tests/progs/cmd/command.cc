/* See cmd/command.t. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace work {
struct Box {
   template<class T> __attribute__((noinline)) long area(std::vector<T> const& v) const
   {
      long sum = 0;
      for (T x : v)
         sum += x * (x & 3);
      return sum;
   }
};
__attribute__((noinline)) int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__attribute__((noinline)) void nested(int n)
{
   static volatile int cell;
   for (int i = 0; i < n; i++)
      for (int k = 0; k < 7; k++)
         cell = cell + i * k;
}
}

int main(int argc, char** argv)
{
   int n = argc > 1 ? atoi(argv[1]) : 20;
   std::vector<int> v;
   for (int i = 0; i < n; i++)
      v.push_back(i * 7919 % 1000);
   std::sort(v.begin(), v.end());
   work::Box box;
   std::thread other([n] { work::nested(2 * n); });
   other.join();
   work::nested(n);
   printf("%ld %d\n", box.area(v), work::factorial(6));
   return 0;
}
