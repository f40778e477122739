/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Memory for rows of words. */

/* Private to wet/. */

#ifndef __DCFG_ROWS_H
#define __DCFG_ROWS_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* Rows: the words that a superblock's executions have on the tape, a row for
   each execution.  Generated code writes a row at .next and moves .next behind
   it.  If .next is .end, it calls rows_are_full() (tool/wet/tape.h) before. */
typedef
   struct _Rows {
      ULong* next;
      ULong* end;
      ULong* begin;
      UInt   size;       // words in a row
      struct _Rows* other;      // the next one that has memory
   }
   Rows;

/* Give R more memory.  Return False if it has enough: then the tape should be
   coded. */
Bool DCFG_(grow_rows)(Rows* r);

/* Return the memory of all rows, in words. */
ULong DCFG_(room_for_rows)(void);

/* Remove all rows, and if GIVE_BACK free their memory. */
void DCFG_(empty_rows)(Bool give_back);
#define DCFG_MUCH_ROOM (3u << 20)

#endif /* __DCFG_ROWS_H */
