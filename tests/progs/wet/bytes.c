/* For tests/oracle/wet_model.py: bytes of words, words of bytes; a heap,
   sorting, text. */
#include "kernel.h"

typedef
   struct {
      unsigned char  kind;
      unsigned short size;
      unsigned       value;
      long long      sum;
   }
   Item;

static Item items[12];
static char text[64];

static unsigned seed = 12345;

__attribute__((noinline)) static unsigned next_random(void)
{
   seed = seed * 1103515245u + 12345u;
   return seed >> 16;
}

__attribute__((noinline)) static int put_number(char* to, unsigned n)
{
   char digits[10];
   int  count = 0, length = 0;

   do
      digits[count++] = '0' + n % 10;
   while ((n /= 10) != 0);
   while (count > 0)
      to[length++] = digits[--count];
   return length;
}

__attribute__((noinline)) static void sort(Item* a, int n)
{
   for (int i = 1; i < n; i++) {
      Item item = a[i];
      int  k = i;
      while (k > 0 && a[k - 1].value > item.value) {
         a[k] = a[k - 1];
         k--;
      }
      a[k] = item;
   }
}

__attribute__((noinline)) static unsigned checksum(const unsigned char* p,
                                                   int n)
{
   unsigned a = 1, b = 0;

   for (int i = 0; i < n; i++) {
      if (p[i] == 0)
         continue;
      a = (a + p[i]) % 65521;
      b = (b + a) % 65521;
   }
   return b << 16 | a;
}

static int program(void)
{
   int length = 0;

   for (int i = 0; i < 12; i++) {
      items[i].kind  = next_random();
      items[i].size  = next_random();
      items[i].value = next_random() % 1000;
      items[i].sum   = (long long)items[i].size << 20 | items[i].kind;
   }
   sort(items, 12);
   for (int i = 0; i < 12 && length < 40; i++)
      length += put_number(text + length, items[i].value);
   *(unsigned*)(text + 3) ^= checksum((unsigned char*)items, sizeof(items));
   for (int i = 0; i < 16; i++)
      output[i] = text[i * 3] ^ text[i * 3 + 1];
   return output[0] & 1;
}
