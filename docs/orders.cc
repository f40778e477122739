// Sorts orders by what they cost, and adds up the large ones: for docs/report.md.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

struct Order {
   unsigned quantity, price, rebate;

   unsigned total() const
   {
      unsigned full = quantity * price;

      return full - full * rebate / 100;
   }
};

template <class Value>
static void sort_by(std::vector<Order>& orders, Value value)
{
   std::sort(orders.begin(), orders.end(),
             [value](const Order& a, const Order& b) { return value(a) < value(b); });
}

int main(int argc, char** argv)
{
   std::vector<Order> orders(argc > 1 ? std::atoi(argv[1]) : 1000);
   unsigned           seed = 1;

   for (Order& o : orders) {
      seed = seed * 1103515245 + 12345;
      o    = { seed >> 16 & 15, seed >> 20 & 255, seed >> 28 };
   }
   sort_by(orders, [](const Order& o) { return o.total(); });
   auto     large = [](const Order& o) { return o.total() > 1000; };
   long     n     = std::count_if(orders.begin(), orders.end(), large);
   unsigned sum   = std::accumulate(orders.end() - n, orders.end(), 0u,
                                    [](unsigned s, const Order& o) { return s + o.total(); });
   std::printf("%ld large orders, %u\n", n, sum);
   return 0;
}
