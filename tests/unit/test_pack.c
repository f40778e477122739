/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests: packed bytes. */

/* Judges: the bytes before; for changed bytes, the sanitizers. */

#include "unit_common.h"
#include "format/pack.h"

#define MOST 70000u

/* Bytes of several kinds: zeros, counters, words from a small set, and random ones. */
static void fill(UChar* to, UInt n, UInt kind)
{
   for (UInt i = 0; i < n; i++)
      to[i] = (UChar)(kind == 0 ? 0 : kind == 1 ? i / 7
                      : kind == 2 ? (UInt)rand() % 3 * 85 : (UInt)rand());
}

/* Unpack the N bytes at FROM to ROOM bytes.  Both stand at the end of memory of their
   own, so that sanitizers see any other access. */
static Bool unpack_exactly(const UChar* from, UInt n, UChar** to, UInt room)
{
   UChar* copy = malloc(n + 1);

   *to = malloc(room + 1);
   memcpy(copy + 1, from, n);
   Bool good = DCFG_(unpack)(copy + 1, n, *to + 1, room);
   free(copy);
   return good;
}

static void check_round(UInt n, UInt kind)
{
   UChar* bytes  = malloc(n + 1);
   UChar* packed = malloc(n + 1);
   UChar* back;

   fill(bytes, n, kind);
   UInt k = DCFG_(pack)(bytes, n, packed);
   ck_assert_uint_le(k, n);
   if (k < n) {
      ck_assert(unpack_exactly(packed, k, &back, n));
      ck_assert_int_eq(memcmp(back + 1, bytes, n), 0);
      free(back);
      ck_assert(!unpack_exactly(packed, k, &back, n + 1));
      free(back);
      ck_assert(!unpack_exactly(packed, k, &back, n - 1));
      free(back);
   }
   free(bytes);
   free(packed);
}

START_TEST(test_round)
{
   const UInt sizes[] = { 0, 1, 8, 9, 14, 15, 16, 17, 300, 4096, MOST };

   for (UInt i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
      for (UInt kind = 0; kind < 4; kind++)
         check_round(sizes[i], kind);
   for (UInt i = 0; i < 300; i++)
      check_round((UInt)rand() % 2000, (UInt)rand() % 4);
}
END_TEST

/* Zeros take almost nothing, random bytes are not packed. */
START_TEST(test_size)
{
   UChar* bytes  = calloc(MOST, 1);
   UChar* packed = malloc(MOST);

   ck_assert_uint_lt(DCFG_(pack)(bytes, MOST, packed), MOST / 200);
   fill(bytes, MOST, 3);
   ck_assert_uint_eq(DCFG_(pack)(bytes, MOST, packed), MOST);
   free(bytes);
   free(packed);
}
END_TEST

START_TEST(test_hostile)
{
   UChar  bytes[2000], packed[2000];
   UChar* back;

   for (UInt i = 0; i < 100000; i++) {
      UInt n = (UInt)rand() % sizeof(bytes), k;
      if (i % 2 == 0) {
         fill(packed, n, (UInt)rand() % 4);
         k = n;
      } else {
         fill(bytes, n, 1 + (UInt)rand() % 2);
         k = DCFG_(pack)(bytes, n, packed);
         if (k == n)
            continue;
         packed[(UInt)rand() % k] = (UChar)rand();
         if (rand() % 4 == 0)
            k = (UInt)rand() % k;
      }
      (void)unpack_exactly(packed, k, &back, i % 3 == 0 ? n : (UInt)rand() % 3000);
      free(back);
   }
}
END_TEST

int main(void)
{
   Suite* s = suite_create("pack");

   add_case(s, test_round, test_size, test_hostile);
   return run_suite(s);
}
