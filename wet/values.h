/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The value that an instruction computes. */

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
