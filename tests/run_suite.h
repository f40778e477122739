
/*--------------------------------------------------------------------*/
/*--- Running a suite.                                 run_suite.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

#ifndef __RUN_SUITE_H
#define __RUN_SUITE_H

#include <check.h>

/* Runs the suite as every test program does; main()'s result. */
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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
