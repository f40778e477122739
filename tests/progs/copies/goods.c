/* why: --output=6068 */
/* qsort() swaps large elements, which hold a name and numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct goods { char name[20]; int count; long price; short shelf, bin; };

static int by_name(const void* a, const void* b)
{
   return strcmp(((const struct goods*)a)->name, ((const struct goods*)b)->name);
}

int main(int argc, char** argv)
{
   static const char* const names[] = { "nail", "hammer", "saw", "axe", "drill", "file" };
   struct goods all[6];
   for (int i = 0; i < 6; i++) {
      strcpy(all[i].name, names[i]);
      all[i].count = 10 + i;
      all[i].price = 6000L + 17 * i * i;        /* true */
      all[i].shelf = (short)(argc + i);
      all[i].bin = (short)(argc * 2 + i);
   }
   qsort(all, 6, sizeof(all[0]), by_name);
   for (int i = 0; i < 6; i++)
      printf("%s %d %ld %d/%d\n", all[i].name, all[i].count, all[i].price, all[i].shelf, all[i].bin);
   return argv[0] == NULL;
}
