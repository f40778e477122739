/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Columns: coding sequences of numbers. */

/* Private to wet/. */

#ifndef __DCFG_COLUMNS_H
#define __DCFG_COLUMNS_H

#include "pub_tool_basics.h"
#include "format/port.h"
#include "tool/wet/bit_pen.h"
#include "tool/wet/tape_words.h"

/* Fill up the last byte of P. */
void DCFG_(flush_bits)(BitPen* p);

/* Column: the last number, and the step that most differences have. */
typedef
   struct {
      ULong last, step;
   }
   Column;

/* Put the first N_COLUMNS numbers of N rows, column by column: predictions to
   BITS, errors to NUMBERS.  The first row is at ROWS; each is SIZE words behind
   the one before.  There are at most WET_BLOCK_WORDS numbers.  NUMBERS has room
   for DCFG_MAX_QUICK bytes for each number, for one more row, and twice for
   each column.  SHIFTS: zeros at the low end of errors may be left out, and
   tables may be put, as version 6 of the file allows.  Return the end in
   NUMBERS. */
UChar* DCFG_(put_columns)(BitPen* bits, UChar* numbers, Column* columns,
                          UInt n_columns, const ULong* rows, UInt size,
                          UInt n, Bool shifts);

#endif /* __DCFG_COLUMNS_H */
