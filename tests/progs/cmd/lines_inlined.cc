/* See cmd/lines.t. */
#include <algorithm>
#include <numeric>
#include <vector>
template<class T> static inline T square(T n) { return n * n; }
struct Item {
   long weight(int k) const { return square(a) + k; }
   long a;
};
__attribute__((noinline)) static long heavy(const std::vector<Item>& v, int k)
{
   long sum = 0;
   for (const Item& i : v)
      sum += i.weight(k);
   return sum;
}
int main(int argc, char**)
{
   std::vector<Item> v;
   for (int i = 0; i < 300; i++)
      v.push_back({ (i * 7919L) % 100 + argc });
   std::sort(v.begin(), v.end(), [](const Item& x, const Item& y) { return x.a < y.a; });
   long sum = std::accumulate(v.begin(), v.end(), 0L, [](long s, const Item& i) { return s + square(i.a); });
   for (int k = 0; k < 20; k++)
      sum += heavy(v, k);
   return sum == 0;
}
