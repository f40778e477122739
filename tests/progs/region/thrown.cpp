// Exceptions that leave functions at which collection is turned over or a part begins.
static volatile int sink;

__attribute__((noinline)) void leaf(int n)
{
   for (int i = 0; i < n; i++)
      sink = sink + i;
}

__attribute__((noinline)) void thrower(int n)
{
   leaf(n);
   if (n == 0)
      throw 1;
   thrower(n - 1);
   leaf(2);
}

__attribute__((noinline)) void catcher(int n)
{
   try {
      leaf(3);
      thrower(n);
   } catch (int) {
      leaf(4);
   }
}

int main()
{
   for (int i = 0; i < 3; i++)
      catcher(i + 2);
   return 0;
}
