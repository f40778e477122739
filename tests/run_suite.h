/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Running a suite. */

#ifndef __RUN_SUITE_H
#define __RUN_SUITE_H

#include <check.h>

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
