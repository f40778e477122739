/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Columns of numbers. */

/* Private to wet/. */

#ifndef __DCFG_COLUMNS_H
#define __DCFG_COLUMNS_H

#include "pub_tool_basics.h"
#include "base/port.h"
#include "wet/tape_words.h"

/* Where the next bits are put: the first one lowest. */
typedef
   struct {
      UChar* at;             // 8 bytes more than are used can be written
      ULong  word;           // those that are not there yet
      UInt   n;
   }
   BitPen;

/* The N lowest bits of BITS, the others being 0; N is at most 64. */
static inline void DCFG_(put_bits)(BitPen* p, ULong bits, UInt n)
{
   p->word |= bits << p->n;
   if (p->n + n >= 64) {
      /* Whole words so far: it is aligned. */
      *(ULong*)(void*)p->at = p->word;
      p->at  += 8;
      p->word = p->n == 0 ? 0 : bits >> (64 - p->n);
      p->n   -= 64;
   }
   p->n += n;
}

/* What was put becomes whole bytes. */
void DCFG_(flush_bits)(BitPen* p);

/* What is known of a column: the last number, and the step that most of
   them made. */
typedef
   struct {
      ULong last, step;
   }
   Column;

/* Of N rows, each SIZE words behind the one before, the first one at ROWS, the
   N_COLUMNS first numbers, at most WET_BLOCK_WORDS, go, column by column, to
   BITS and, where they are not as foretold, to NUMBERS, which has room for
   DCFG_MAX_QUICK bytes for each, for as many rows, and for 2 of each column
   more.  Returns where it ends. */
UChar* DCFG_(put_columns)(BitPen* bits, UChar* numbers, Column* columns,
                          UInt n_columns, const ULong* rows, UInt size,
                          UInt n);

#endif /* __DCFG_COLUMNS_H */
