/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests: Huffman codes. */

/* Judges: Huffman's original algorithm, where no code word is too long;
   elsewhere the minimum over all codes with the limit. */

#include "unit_common.h"
#include "tool/trace/phrase.h"

#define MOST 5000

static ULong weights[MOST];
static UChar lengths[MOST];
static UInt  words[MOST];

static int cmp_weights(const void* va, const void* vb)
{
   const ULong* a = va;
   const ULong* b = vb;
   return *a < *b ? -1 : *a > *b;
}

/* Return the sum of length times weight of Huffman's code; *LONGEST is the
   longest code word. */
static ULong cost_without_limit(UInt n, UInt* longest)
{
   static ULong weight[MOST];
   static UInt  depth[MOST];
   ULong cost = 0;

   for (UInt i = 0; i < n; i++) {
      weight[i] = weights[i];
      depth[i]  = 0;
   }
   for (; n > 1; n--) {
      UInt a = 0, b = 1;
      for (UInt i = 1; i < n; i++) {
         if (weight[i] < weight[a]) {
            b = a;
            a = i;
         } else if (b == a || weight[i] < weight[b]) {
            b = i;
         }
      }
      cost += weight[a] += weight[b];
      depth[a] = 1 + (depth[a] > depth[b] ? depth[a] : depth[b]);
      weight[b] = weight[n - 1];
      depth[b]  = depth[n - 1];
      if (a == n - 1)
         a = b;
   }
   *longest = depth[0];
   return cost;
}

/* Return the same for the best code with a limit, level by level: BEST[t][m] is
   the least cost if T nodes stand on this level and the M lightest symbols are
   on it or below. */
static ULong cost_with_limit(UInt n)
{
   enum { N = 64 };
   static ULong best[N + 1][N + 1], old[N + 1][N + 1];
   const ULong  never = ~0ULL >> 1;
   ULong        sum[N + 1] = { 0 };

   ck_assert_uint_le(n, N);
   for (UInt i = 0; i < n; i++)
      sum[i + 1] = sum[i] + weights[i];
   for (UInt level = MAX_CODE_BITS; level > 0; level--) {
      memcpy(old, best, sizeof(best));
      for (UInt t = 0; t <= N; t++)
         for (UInt m = 0; m <= N; m++) {
            best[t][m] = never;
            /* K nodes lead to the next level, which has twice as many. */
            for (UInt k = 0; k <= t && t - k <= m; k++) {
               ULong below_it = m == t - k && k == 0 ? 0 : never;
               if (level < MAX_CODE_BITS && 2 * k <= N && k > 0)
                  below_it = old[2 * k][m - (t - k)];
               if (below_it < never && below_it + sum[m < n ? m : n]
                                       < best[t][m])
                  best[t][m] = below_it + sum[m < n ? m : n];
            }
         }
   }
   return best[2][n];
}

static void judge(UInt n, ULong cost)
{
   ULong kraft = 0, found = 0;

   DCFG_(code_lengths)(weights, n, lengths);
   DCFG_(code_words)(lengths, n, words);
   for (UInt i = 0; i < n; i++) {
      require(lengths[i] <= MAX_CODE_BITS, "a code word is too long");
      require(i == 0 || lengths[i] <= lengths[i - 1], "not in order");
      kraft += 1ULL << (MAX_CODE_BITS - lengths[i]);
      found += lengths[i] * weights[i];
   }
   require(kraft == 1ULL << MAX_CODE_BITS, "%u symbols: not complete", n);
   require(found == cost, "%u symbols: %llu bits, not %llu", n, found,
           cost);
   /* From the shortest on, each code begins where the one before ended. */
   for (UInt i = 0; i + 1 < n; i++) {
      ULong a = (ULong)words[i] << (MAX_CODE_BITS - lengths[i]);
      ULong b = (ULong)words[i + 1] << (MAX_CODE_BITS - lengths[i + 1]);
      require(b + (1ULL << (MAX_CODE_BITS - lengths[i + 1])) <= a,
              "%u symbols: word %u begins with another", n, i);
   }
}

START_TEST(test_one_and_two)
{
   /* Section 3.5 of the format. */
   ck_assert_uint_eq(MAX_CODE_BITS, 32);
   weights[0] = 7;
   judge(1, 0);
   ck_assert_uint_eq(lengths[0], 0);
   weights[1] = 1ULL << 50;
   judge(2, 7 + (1ULL << 50));
   DCFG_(code_lengths)(weights, 0, lengths);
}
END_TEST

START_TEST(test_thousands)
{
   UInt longest;

   for (UInt i = 0; i < 4096; i++)
      weights[i] = 3;
   judge(4096, 12 * 3 * 4096);
   for (UInt i = 0; i < MOST; i++)
      weights[i] = 1 + i / 7;
   judge(MOST, cost_without_limit(MOST, &longest));
   ck_assert_uint_le(longest, MAX_CODE_BITS);
}
END_TEST

/* Huffman's code of Fibonacci numbers is as deep as there are numbers. */
START_TEST(test_skewed)
{
   UInt longest;

   for (UInt n = 3; n <= 64; n++) {
      weights[0] = weights[1] = 1;
      for (UInt i = 2; i < n; i++)
         weights[i] = weights[i - 1] + weights[i - 2];
      ULong cost = cost_without_limit(n, &longest);
      ck_assert_uint_eq(longest, n - 1);
      ck_assert(longest > MAX_CODE_BITS || cost_with_limit(n) == cost);
      judge(n, cost_with_limit(n));
      ck_assert_uint_eq(lengths[0], longest < MAX_CODE_BITS
                                    ? longest : MAX_CODE_BITS);
   }
}
END_TEST

START_TEST(test_powers)
{
   for (UInt n = 3; n <= 56; n++) {
      for (UInt i = 0; i < n; i++)
         weights[i] = 1ULL << i;
      judge(n, cost_with_limit(n));
   }
}
END_TEST

START_TEST(test_random)
{
   UInt limited = 0;

   for (ULong seed = 1; seed <= 3000; seed++) {
      UInt n, longest, bits = 1;
      start_chance(seed);
      n    = 2 + below(chance(90) ? 50 : 300);
      bits = 1 + below(50);
      for (UInt i = 0; i < n; i++)
         weights[i] = chance(5) ? 0 : any_number() >> (14 + below(bits));
      qsort(weights, n, sizeof(ULong), cmp_weights);
      ULong cost = cost_without_limit(n, &longest);
      if (longest > MAX_CODE_BITS) {
         limited++;
         if (n > 64 || limited > 40)
            continue;
         cost = cost_with_limit(n);
      }
      judge(n, cost);
   }
   ck_assert_uint_gt(limited, 5);
}
END_TEST

int main(void)
{
   Suite* s = suite_create("huffman");

   add_case(s, test_one_and_two, test_thousands, test_skewed, test_powers,
            test_random);
   return run_suite(s);
}
