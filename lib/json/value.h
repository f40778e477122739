
/*--------------------------------------------------------------------*/
/*--- Numbers and text of a file.                          value.h ---*/
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

#ifndef DCFG_VALUE_H
#define DCFG_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of digits in BASE.  False if they are none, or too many. */
bool read_digits(const char* s, size_t len, unsigned base, uint64_t* n);

/* As C writes a constant: 0x and hex, 0 and octal, or decimal. */
bool read_c_number(const char* s, size_t len, uint64_t* n);

/* Is this UTF-8, as far as bytes can tell (RFC 3629)? */
bool is_utf8(const char* s, size_t len);

#endif /* DCFG_VALUE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
