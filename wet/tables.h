
/*--------------------------------------------------------------------*/
/*--- What a wet file knows of code.                wet/tables.h ---*/
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

#ifndef __DCFG_TABLES_H
#define __DCFG_TABLES_H

#include "base/put.h"

/* Sections of the file. */
enum {
   SectionSources = 1,    // names of source files
   SectionImages,         // with symbols and lines
   SectionInstrs,         // what each instruction is, uses and defines
   SectionUnexecuted,     // what branches may lead to
   SectionSuperblocks,    // of which instructions; what they access
   SectionThreads,        // instructions executed by each
   SectionBefore,         // executions, if the tape does not have all
   SectionTape,           // chunks: see wet/squeeze.c
   SectionEnd
};

/* Put the head of SECTION, which has LENGTH bytes. */
void DCFG_(put_section)(Put* out, UInt section, ULong length);

/* Put the sections up to the tape, of which something was DROPPED or not.
   Returns how many instructions were executed. */
struct _Gathered;
ULong DCFG_(put_tables)(Put* out, const struct _Gathered* g, Bool dropped,
                        Bool ended);

#endif /* __DCFG_TABLES_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
