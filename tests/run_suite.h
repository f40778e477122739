/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Running a suite. */

#ifndef __RUN_SUITE_H
#define __RUN_SUITE_H

#include <check.h>

/* TEST_SECONDS ends a test that hangs.  Machines may be busy: it has no other
   use. */
#define TEST_SECONDS 600

/* Add a case of TESTS, which end with NULL, to the suite.  Return the case. */
static inline TCase* add_tests(Suite* s, const TTest* const* tests)
{
   TCase* c = tcase_create("tests");

   tcase_set_timeout(c, TEST_SECONDS);
   for (; *tests != NULL; tests++)
      tcase_add_test(c, *tests);
   suite_add_tcase(s, c);
   return c;
}

#define add_case(suite, ...) \
   add_tests(suite, (const TTest* const[]){ __VA_ARGS__, NULL })

/* Run the suite, and return main()'s result. */
static inline int run_suite(Suite* s)
{
   SRunner* runner = srunner_create(s);
   int      failed;

   srunner_run_all(runner, CK_ENV);
   failed = srunner_ntests_failed(runner);
   srunner_free(runner);
   return failed == 0 ? 0 : 1;
}

#endif /* __RUN_SUITE_H */
