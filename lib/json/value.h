/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers and text of a file. */

#ifndef DCFG_VALUE_H
#define DCFG_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read digits in BASE.  Return False if S is not digits, or too many. */
bool read_digits(const char* s, size_t len, unsigned base, uint64_t* n);

/* Read a number in C's notation: 0x and hexadecimal, 0 and octal, or
   decimal. */
bool read_c_number(const char* s, size_t len, uint64_t* n);

/* Return whether S is UTF-8, judging bytes only (RFC 3629). */
bool is_utf8(const char* s, size_t len);

#endif /* DCFG_VALUE_H */
