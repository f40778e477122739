/* See cmd/names.t. */
#define FAR __attribute__((noinline, noclone))
static volatile long sink;
FAR long twice(int n) { long s = 0; for (int i = 0; i < n; i++) s += sink; return s; }
FAR long twice(long n) { long s = 0; for (long i = 0; i < n; i++) s ^= sink; return s; }
FAR long twice(double n) { long s = 0; for (double i = 0; i < n; i++) s -= sink; return s; }
namespace a_room_with_a_long_name_for_boxes {
struct BoxOfTheFirstKind { FAR long value_of_its_element(int n) { long s = 0; for (int i = 0; i < n; i++) s += sink; return s; } };
struct BoxOfTheOtherKind { FAR long value_of_its_element(int n) { long s = 1; for (int i = 0; i < n; i++) s ^= sink; return s; } };
}
int main(int argc, char** argv)
{
   a_room_with_a_long_name_for_boxes::BoxOfTheFirstKind a;
   a_room_with_a_long_name_for_boxes::BoxOfTheOtherKind b;
   sink = twice(300 * argc) + twice(500L * argc) + twice(700.0 * argc);
   sink = a.value_of_its_element(200 * argc) + b.value_of_its_element(600 * argc);
   return 0;
}
