
/*--------------------------------------------------------------------*/
/*--- How numbers are spread.                             spread.h ---*/
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

#ifndef DCFG_CMD_SPREAD_H
#define DCFG_CMD_SPREAD_H

#include "cmd/base/cmd.h"

/* Numbers, of which the N-th smallest can be asked for.  All zero: none. */
typedef
   struct {
      uint64_t value, count;
   }
   Run;

typedef
   struct {
      Run*      runs;           // in order of value
      size_t    n_runs;
      uint64_t* news;           // not sorted in yet
      size_t    n_news, room;
      uint64_t  total;          // how many numbers there are
   }
   Spread;

void     spread_add(Spread* s, uint64_t value);
void     spread_free(Spread* s);

/* All of FROM, which is empty then. */
void     spread_move(Spread* to, Spread* from);

/* The number before which there are RANK smaller or equal ones; RANK is less
   than s->total. */
uint64_t spread_at(Spread* s, uint64_t rank);

#endif /* DCFG_CMD_SPREAD_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
