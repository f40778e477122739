/* Goes some ways more often than a counter of 32 bits has numbers: 3 x 1.5 billion times. */
static __attribute__((noinline)) unsigned step(unsigned x)
{
   return x + 1;
}

int main(void)
{
   unsigned (*volatile call)(unsigned) = step;
   unsigned   x = 0;

   for (unsigned round = 0; round < 3; round++)
      for (unsigned i = 0; i < 1500000000; i++)
         x = call(x);
   return x != (unsigned)(3 * 1500000000ull);
}
