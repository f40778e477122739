
/*--------------------------------------------------------------------*/
/*--- Records of the tape, decoded by a thread.      wet_ahead.h ---*/
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

#ifndef DCFG_LIB_WET_AHEAD_H
#define DCFG_LIB_WET_AHEAD_H

#include "lib/wet/wet_chunks.h"

/* What is decoded at once: of a chunk a part, or all of it. */
typedef
   struct {
      WetSteps steps;
      bool     first;           // of its chunk
      uint64_t n_file, n_text;  // bytes that have been read up to here
   }
   WetPart;

typedef struct WetAhead WetAhead;

/* All of W from its begin on, in parts, of which chunks are added to INDEX; or
   the chunks of INDEX, whole, with all slots, from the last to the first.
   Until it is closed W and INDEX are its own.  NULL with JOB's error set if
   there is no memory. */
WetAhead* wet_ahead_new(Job* job, DcfgWet* w, Array* index, WetWanted wanted);
WetAhead* wet_ahead_new_back(Job* job, DcfgWet* w, Array* index);

/* The next part; the one before is no more.  NULL at the end, or if it cannot
   be decoded, which is then JOB's error. */
const WetPart* wet_ahead_next(WetAhead* a);

/* A may be NULL. */
void wet_ahead_close(WetAhead* a);

#endif /* DCFG_LIB_WET_AHEAD_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
