// Boost.Context: fibers that leave in the middle of a recursion, an exception inside of one, and three rounds in which stacks
// are used again.
#include <boost/context/fiber.hpp>
#include <vector>
extern "C" {
#include "counted.h"
}

namespace context = boost::context;

static NOINLINE int nest(int n, context::fiber& back)
{
   COUNT("nest");
   spin(10);
   if (n == 0) {
      back = std::move(back).resume();
      return 1;
   }
   return 1 + nest(n - 1, back);
}

static NOINLINE void fail(int i)
{
   COUNT("fail");
   spin(30);
   if (i == 2)
      throw i;
}

static NOINLINE void step(int i)
{
   COUNT("step");
   spin(100 + i);
   try {
      fail(i);
   } catch (int k) {
      sink += k;
   }
}

static NOINLINE context::fiber body(int id, context::fiber back)
{
   COUNT("body");
   for (int i = 0; i < 5; i++) {
      step(i);
      nest(id, back);
      back = std::move(back).resume();
   }
   return back;
}

int main()
{
   std::vector<context::fiber> all;

   for (int round = 0; round < 3; round++) {
      for (int id = 0; id < 4; id++)
         all.emplace_back([id](context::fiber&& back) { return body(id, std::move(back)); });
      for (bool any = true; any;) {
         any = false;
         for (auto& f : all)
            if (f) {
               f = std::move(f).resume();
               any = true;
            }
      }
      all.clear();
   }
   tell_counts();
   return 0;
}
