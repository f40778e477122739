
/*--------------------------------------------------------------------*/
/*--- A part of a trace that stands for all of it. encode/sample.h ---*/
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

/* Private to encode/. */

#ifndef __DCFG_SAMPLE_H
#define __DCFG_SAMPLE_H

#include "encode/io.h"

typedef
   struct {
      UInt* ids;       // decision edges; a 0 behind those from one place
      UInt  n, room;
      ULong scale;     // what there is of the trace for each of them
   }
   Sample;

/* About MAX decision edges of the N THREADS, or all if there are no more.
   S->ids is for the caller to free. */
void DCFG_(take_sample)(Sample* s, const TraceThread* threads, UInt n,
                        UInt max);

#endif /* __DCFG_SAMPLE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
