// why: --output=3141
// A vector grows, and elements go in at its begin and out of its middle.
#include <cstdio>
#include <vector>

struct Task { int id; short urgency, owner; long cost; };

int main(int argc, char**)
{
   std::vector<Task> all;
   for (int i = 0; i < 10; i++) {
      Task t{};
      t.id = i;
      t.urgency = (short)(i % 3);
      t.owner = (short)(argc + i);
      t.cost = 3000 + 47 * i * argc;    // true
      all.insert(all.begin(), t);
   }
   all.erase(all.begin() + 2, all.begin() + 4);
   std::vector<Task> copy(all.rbegin(), all.rend());
   for (const Task& t : copy)
      std::printf("%d %d %d %ld\n", t.id, t.urgency, t.owner, t.cost);
}
