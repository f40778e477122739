/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Room for rows of words. */

/* Private to wet/. */

#ifndef __DCFG_ROWS_H
#define __DCFG_ROWS_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* The words that a superblock's executions have on the tape, a row for each.
   Generated code has rows_are_full() (wet/tape.h) make room where .next is
   .end, puts a row at .next, and lets that be what is behind it. */
typedef
   struct _Rows {
      ULong* next;
      ULong* end;
      ULong* begin;
      UInt   size;       // of a row, in words
      struct _Rows* other;      // that have room
   }
   Rows;

/* Make more room for R.  Returns False if it has enough: then what there is
   should be coded. */
Bool DCFG_(grow_rows)(Rows* r);

/* Room for all rows, in words. */
ULong DCFG_(room_for_rows)(void);

/* There are no rows any more; GIVE_BACK their room, too? */
void DCFG_(empty_rows)(Bool give_back);
#define DCFG_MUCH_ROOM (3u << 20)

#endif /* __DCFG_ROWS_H */
