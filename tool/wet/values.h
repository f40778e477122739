/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The value of an instruction. */

/* Private to wet/. */

#ifndef __DCFG_VALUES_H
#define __DCFG_VALUES_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

struct _Work;         // the superblock in translation: tool/run/ir.h

/* ValuePart: one to eight bytes of a value, the lowest bytes of .data, which is
   an I64. */
typedef
   struct {
      IRExpr* data;
      IRExpr* was;       // the integer that .data was widened from, or NULL
      UInt    size;
   }
   ValuePart;

#define MAX_VALUE_PARTS 160

/* Begin an instruction. */
void DCFG_(begin_value)(void);

/* Note ST, a statement of the instruction, which has been added to W. */
void DCFG_(note_value)(struct _Work* w, const IRStmt* st);

/* Return whether ST, a compare-and-swap or store-exclusive, has stored.  Added
   to W behind ST. */
IRExpr* DCFG_(has_stored)(struct _Work* w, const IRStmt* st);

/* Return word I of temporary T as an I64, with 0 above it. */
IRExpr* DCFG_(word_of_temp)(struct _Work* w, IRTemp t, UInt i);

/* End instruction K of W: return the number of PARTS of its value, the lowest
   bytes first.  0: it has no value. */
UInt DCFG_(end_value)(struct _Work* w, UInt k, /*OUT*/ValuePart* parts);

#endif /* __DCFG_VALUES_H */
