/* See cmd/export/coverage.t. */
#include <cstdio>
static int one(int n) { return n + 1; }
static int
two(int n)
{
   return n * 2;
}
int three(int a,
          int b)
{
   return a + b;
}
static inline int four(int n) {
   if (n > 2)
      return 1;
   return 0;
}
void empty()
{
}
static int
  six
  (
   int n
  )
{ int m = n; return m; }
#define MAKE(name) static int name(int n) { return n; }
MAKE(seven)
template<class T>
T twice(T n)
{
   return n + n;
}
class Box {
public:
   Box(int n)
      : n_(n)
   {
   }
   ~Box() { }
   int get() const;
private:
   int n_;
};
int
Box::get() const
{
   return n_;
}
namespace {
int
anon(int n)
{
   return n;
}
}
int
main()
{
   int  sum = 0;
   char text[30];
   auto lambda = [](int n)
   {
      return n + 1;
   };
   for (int i = 0; i < 5; i++)
      sum += one(i) + two(i) + three(i, 1) + four(i) + six(i) + seven(i) + twice<int>(i) + (int)twice<double>(i) + Box(i).get()
             + anon(i) + lambda(i);
   empty();
   snprintf(text, sizeof(text), "%d", sum);
   return puts(text) < 0;
}
