// why: --output=0.625
// Structures of doubles go through std::swap, std::stable_sort and a map.
#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

struct Star { double x, y; float light; int number; };

int main(int argc, char**)
{
   std::vector<Star> all;
   for (int i = 0; i < 7; i++) {
      Star s{};
      s.x = i * 0.5;
      s.y = 0.125 * i * argc;           // true
      s.light = 3.0f - (float)i;
      s.number = (i * 3) % 7;
      all.push_back(s);
   }
   std::stable_sort(all.begin(), all.end(), [](const Star& a, const Star& b) { return a.light < b.light; });
   std::swap(all[0], all[4]);
   std::map<int, Star> by;
   for (const Star& s : all)
      by[s.number] = s;
   for (const auto& p : by)
      std::printf("%d: %.2f %.3f %.1f\n", p.first, p.second.x, p.second.y, p.second.light);
}
