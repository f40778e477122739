// why: --output=2689
// std::sort moves elements of three numbers.
#include <algorithm>
#include <cstdio>
#include <vector>

struct Train { int line, minute, seats; };

int main(int argc, char**)
{
   std::vector<Train> all;
   for (int i = 0; i < 40; i++) {
      Train t;
      t.line = i % 6;
      t.minute = (i * 37 + argc) % 60;
      t.seats = 2400 + i * i * argc;    // true
      all.push_back(t);
   }
   std::sort(all.begin(), all.end(), [](const Train& a, const Train& b) { return a.minute < b.minute; });
   for (const Train& t : all)
      std::printf("%d %02d %d\n", t.line, t.minute, t.seats);
}
