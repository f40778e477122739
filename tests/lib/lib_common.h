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

/* A DCFG with a bit of everything: two images, three threads, nested loops
   with a call at the end of one, overlapping symbols and source rows.

      START -> 4;  4 -> 5;  5 -> 6 (call);  6 -> 7 (return), 5 => 7 (bypass);
      7 -> 7, 7 -> 5, 7 -> 8;  8 -> END

   Loop 5 has 5 and 7, loop 7 inside it has 7. */
extern const char sample[];

/* A copy of TEXT in which the first FROM is TO.  The caller frees it. */
char* replaced(const char* text, const char* from, const char* to);

/* Loads, or fails the test. */
Dcfg* must_load(const char* text);

/* Loading TEXT must fail with this status, and the error's text must contain
   each of the words in WANT, which are separated by '|'. */
void  must_not_load(const char* text, DcfgStatus status, const char* want);

/* The same after a replacement in the sample. */
void  must_break(const char* from, const char* to, DcfgStatus status,
                 const char* want);

/* The rules of the problems that are told when TEXT is loaded, in order, each
   with a blank behind it.  In a buffer that the next call uses again. */
const char* problems_of(const char* text);

/* Likewise; with the first problem's place and reason. */
extern char first_place[200], first_what[300];

/* Index of a node of the sample by its id. */
uint32_t node(const DcfgProcess* p, uint32_t id);

void  must_say(const DcfgError* err, const char* want);

#endif /* LIB_COMMON_H */
