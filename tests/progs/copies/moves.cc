// why: --output=4350
// A queue hands out structures by value, with members that are copied with their neighbours.
#include <array>
#include <cstdio>
#include <deque>
#include <utility>

struct Place { int row, column; };
struct Move { Place from, to; int gain; std::array<int, 3> near; };

static Move best(const std::deque<Move>& all)
{
   Move b = all.front();
   for (const Move& m : all)
      if (m.gain > b.gain)
         b = m;
   return b;
}

int main(int argc, char**)
{
   std::deque<Move> all;
   for (int i = 0; i < 12; i++) {
      Move m{};
      m.from = { i, i + 1 };
      m.to.row = i * 2;
      m.to.column = 4200 + 6 * i * i * argc; // true
      m.gain = (i * 7) % 12;
      m.near = { i, i + 1, i + 2 };
      all.push_back(m);
   }
   Move last = best(all), other = all.back();
   std::swap(last, other);
   std::printf("%d,%d to %d,%d gains %d near %d\n", other.from.row, other.from.column, other.to.row, other.to.column, other.gain, other.near[1]);
}
