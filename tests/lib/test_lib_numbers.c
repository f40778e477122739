/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tests of numbers for keys. */

/* Keys come and go, compared with an array that is searched.  Each map hashes
   keys in its own way. */

#include "lib_common.h"

#include "lib/base/hash.h"

#define N_KEYS 3000

/* Return a key; some would be neighbours in any fixed hash. */
static uint64_t key_of(uint32_t i)
{
   return i % 3 == 0 ? i + 1 : i % 3 == 1 ? (uint64_t)(i + 1) << 40
                                          : i * UINT64_C(0x9E3779B97F4A7C15);
}

START_TEST(come_and_go)
{
   static uint32_t model[N_KEYS];       // value, or 0
   Job       job;
   NumberMap m = { 0 };
   size_t    n = 0;

   job_start(&job, "", NULL);
   srand((unsigned)_i);
   memset(model, 0, sizeof(model));
   for (uint32_t step = 1; step < 20000; step++) {
      uint32_t i = (uint32_t)rand() % N_KEYS;
      if (model[i] != 0 && rand() % 2 == 0) {
         map_remove(&m, map_find(&m, key_of(i)));
         model[i] = 0;
         n--;
      } else {
         uint32_t* value = map_add(&job, &m, key_of(i));
         if (value == NULL || *value != model[i])
            ck_abort_msg("step %u: another value", step);
         n += model[i] == 0;
         *value = model[i] = step;
      }
      if (m.n != n)          // Check's own tests cost a message each
         ck_abort_msg("step %u: %zu keys, not %zu", step, (size_t)m.n, n);
   }
   for (uint32_t i = 0; i < N_KEYS; i++) {
      size_t at = map_find(&m, key_of(i));
      ck_assert_uint_eq(m.keys[at], model[i] == 0 ? 0 : key_of(i));
      ck_assert(model[i] == 0 || m.values[at] == model[i]);
   }
   map_free(&job, &m);
   ck_assert_uint_eq(job.used, 0);
}
END_TEST

/* Two maps of the same size place some of 500 keys differently.  With different
   hashes, equal places would be very unlikely. */
START_TEST(keyed)
{
   Job       job;
   NumberMap m[2] = { { 0 }, { 0 } };
   unsigned  same = 0;

   job_start(&job, "", NULL);
   for (unsigned k = 0; k < 2; k++)
      for (uint32_t i = 0; i < 500; i++)
         ck_assert_ptr_nonnull(map_add(&job, &m[k], i + 1));
   for (uint32_t i = 0; i < 500; i++)
      same += map_find(&m[0], i + 1) == map_find(&m[1], i + 1);
   ck_assert_uint_lt(same, 500);
   map_free(&job, &m[0]);
   map_free(&job, &m[1]);
}
END_TEST

int main(void)
{
   Suite* s = suite_create("libdcfg: numbers for keys");

   TCase* c = add_case(s, keyed);
   tcase_add_loop_test(c, come_and_go, 0, 20);
   return run_suite(s);
}
