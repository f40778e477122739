
/*--------------------------------------------------------------------*/
/*--- The value that an instruction computes.         wet/values.h ---*/
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

#ifndef __DCFG_VALUES_H
#define __DCFG_VALUES_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

struct _Work;         // the superblock in translation: run/ir.h

/* One to eight bytes of a value: the lowest ones of .data, which is an
   I64. */
typedef
   struct {
      IRExpr* data;
      IRExpr* was;       // an integer that .data was widened from, or NULL
      UInt    size;
   }
   ValuePart;

#define MAX_VALUE_PARTS 160

/* Another instruction begins. */
void DCFG_(begin_value)(void);

/* ST, which is part of it, has been added to W. */
void DCFG_(note_value)(struct _Work* w, const IRStmt* st);

/* Has ST, a compare-and-swap or a store-exclusive, stored?  Behind it in W. */
IRExpr* DCFG_(has_stored)(struct _Work* w, const IRStmt* st);

/* The value that instruction K of W has computed, its lowest bytes first.
   Returns how many parts; 0: it computes none. */
UInt DCFG_(end_value)(struct _Work* w, UInt k, /*OUT*/ValuePart* parts);

#endif /* __DCFG_VALUES_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
