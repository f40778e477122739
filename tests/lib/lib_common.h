/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Shared by the tests of libdcfg. */

#ifndef LIB_COMMON_H
#define LIB_COMMON_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../run_suite.h"
#include "dcfg.h"

/* A small DCFG with two images, three threads, nested loops with a call at the
   end of one, overlapping symbols and source rows.

     START -> 4;  4 -> 5;  5 -> 6 (call);  6 -> 7 (return), 5 => 7 (bypass);
     7 -> 7, 7 -> 5, 7 -> 8;  8 -> END

   Loop 5 has 5 and 7, and the loop 7 inside it has 7. */
extern const char sample[];

/* Return a copy of TEXT in which the first FROM is TO, to be freed. */
char* replaced(const char* text, const char* from, const char* to);

/* Load TEXT, or fail the test. */
Dcfg* must_load(const char* text);

/* Loading TEXT must fail with this STATUS, and the error's text must contain
   each word of WANT, separated by '|'. */
void  must_not_load(const char* text, DcfgStatus status, const char* want);

/* Do the same with the sample after a replacement. */
void  must_break(const char* from, const char* to, DcfgStatus status,
                 const char* want);

/* Return the rules of the problems that loading TEXT reports, in order, each
   with a blank behind it.  The next call uses the same buffer. */
const char* problems_of(const char* text);

/* The first problem's place and reason, after that call. */
extern char first_place[200], first_what[300];

/* Return the index of the node of the sample with this id. */
uint32_t node(const DcfgProcess* p, uint32_t id);

void  must_say(const DcfgError* err, const char* want);

#endif /* LIB_COMMON_H */
