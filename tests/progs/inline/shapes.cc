#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <vector>
struct Shape { virtual ~Shape() {} virtual double area() const = 0; };
struct Square : Shape { double a; explicit Square(double x) : a(x) {} double area() const override { return a * a; } };
struct Circle : Shape { double r; explicit Circle(double x) : r(x) {} double area() const override { return 3.14 * r * r; } };
template <class T> static T clamp_sum(const std::vector<T>& v, T lo, T hi)
{
   return std::accumulate(v.begin(), v.end(), T(), [=](T s, T x) { return s + std::min(hi, std::max(lo, x)); });
}
static int risky(int x) { if (x % 7 == 3) throw x; return x * 2; }
static int guarded(int x) { try { return risky(x); } catch (int e) { return -e; } }
int main(int argc, char**)
{
   std::vector<int> v;
   for (int i = 0; i < 500; i++) v.push_back((i * 7919) % 1009);
   std::sort(v.begin(), v.end(), [](int a, int b) { return a % 100 < b % 100; });
   std::map<std::string, int> m;
   for (int x : v) m["k" + std::to_string(x % 17)] += guarded(x);
   std::vector<Shape*> s;
   for (int i = 0; i < 50; i++) s.push_back(i % 3 ? (Shape*)new Square(i) : new Circle(i));
   double a = 0;
   for (auto p : s) { a += p->area(); delete p; }
   std::printf("%d %d %f\n", clamp_sum(v, 10, 900), m["k3"], a);
   return 0;
}
