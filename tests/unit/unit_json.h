
/*--------------------------------------------------------------------*/
/*--- Catching JSON and reading it back.               unit_json.h ---*/
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

#ifndef __UNIT_JSON_H
#define __UNIT_JSON_H

#include <jansson.h>

#include "unit_common.h"
#include "dcfg_json.h"

/* What is written to .out goes to .text, of .text_len bytes and a 0 behind
   them. */
extern Put     out;
extern HChar*  text;
extern UInt    text_len;

/* Empty the text. */
void start_text(void);

/* The text as Jansson reads it, which refuses whatever RFC 8259 does not
   allow, and bytes that are not UTF-8 too. */
json_t* read_back(void);

/* JSON without spaces and with ' in place of ", which can be read where it
   stands in a test.  Valid until the next call. */
const HChar* compact(json_t* value);

#endif /* __UNIT_JSON_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
