/* See cmd/names.t. */
#include <unistd.h>
#define FAR __attribute__((noinline, noclone))
namespace work {
template<class T> struct Box { FAR T twice(T n) const { volatile T m = n; return m * 2; } };
template<class T> FAR T half(T n) { volatile T m = n; return m / 2; }
}
int main(int argc, char** argv)
{
   static volatile int none;
   char text[2] = "";
   for (int i = 0; i < 2000 * argc; i++)
      text[0] += (char)(work::half<int>(work::Box<long>().twice(argc)) + (int)work::half<double>(argc));
   text[0] = '0' + (text[0] & none);
   return write(1, text, 2) == 2 ? 0 : 1;
}
