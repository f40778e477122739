/* See cmd/names.t. */
#define FAR __attribute__((noinline, noclone))
static volatile int sink;
struct Foo {
   int k;
   FAR int sum(int n) const
   {
      auto f = [this](int i) __attribute__((noinline)) { int s = k; for (int j = 0; j < i; j++) s += sink; return s; };
      int t = 0;
      for (int i = 0; i < n; i++)
         t += f(i);
      return t;
   }
   FAR int sum(long n) const
   {
      auto f = [this](int i) __attribute__((noinline)) { int s = k; for (int j = 0; j < i; j++) s ^= sink; return s; };
      int t = 0;
      for (long i = 0; i < n; i++)
         t += f(i);
      return t;
   }
};
template<class T> FAR void (*pick(T n))(int) { sink += n; return nullptr; }
FAR int cat(int n) __asm__("\"main.(*Cat).Run\"");
FAR int dog(int n) __asm__("\"main.(*Dog).Run\"");
FAR int add(int n) __asm__("\"main.Sum[go.shape.struct { X int }]\"");
FAR int cat(int n) { int s = 0; for (int i = 0; i < n; i++) s += sink; return s; }
FAR int dog(int n) { int s = 1; for (int i = 0; i < n; i++) s ^= sink; return s; }
FAR int add(int n) { int s = 1; for (int i = 0; i < n; i++) s -= sink; return s; }
int main(int argc, char**)
{
   Foo f = { argc };
   int s = f.sum(40) + f.sum(30L) + cat(900) + dog(700) + add(500);
   return s + (pick<int>(3) == nullptr) == 7;
}
