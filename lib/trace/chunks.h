
/*--------------------------------------------------------------------*/
/*--- A chunk of a trace.                                 chunks.h ---*/
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

#ifndef DCFG_CHUNKS_H
#define DCFG_CHUNKS_H

#include "lib/base/input.h"
#include "lib/trace/code_table.h"

/* Complete in itself: the table is shared and never changes. */
struct DcfgChunk {
   DcfgChunkInfo     info;
   struct DcfgChunk* next;      // while it waits in the trace's queue
   Table*            table;
   char              text[];    // info.size bytes and a zero
};

/* The chunks of a trace, of all threads. */
typedef struct Chunks Chunks;

Chunks*    chunks_start(Job* job, Input* in);   // takes over IN; may be NULL
void       chunks_end(Chunks* t);

/* The next one, or NULL at the end or an error of the job.  What came before
   an error is handed out first. */
DcfgChunk* chunks_next(Chunks* t);

#endif /* DCFG_CHUNKS_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
