
/*--------------------------------------------------------------------*/
/*--- Room for rows of words.                           wet/rows.h ---*/
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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
