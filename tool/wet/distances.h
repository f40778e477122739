/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Addresses that are others plus a constant. */

/* Private to wet/. */

#ifndef __DCFG_DISTANCES_H
#define __DCFG_DISTANCES_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

struct _Work;         // the superblock in translation: tool/run/ir.h

/* Distance: a temporary as another one (or itself) plus a constant. */
typedef
   struct {
      IRTemp from;
      Addr   distance;
      UChar  where;      // WhereStack if .from is RSP, WhereFrame if RBP
   }
   Distance;

/* Begin a superblock, of which VEX made N_TEMPS temporaries. */
void DCFG_(begin_distances)(UInt n_temps);

/* Return what is known of temporary T. */
Distance DCFG_(distance_of)(IRTemp t);

/* Note what ST, which writes a temporary, tells of addresses. */
void DCFG_(note_distance)(const struct _Work* w, const IRStmt* st);

/* Return the constant E, a word or less. */
Addr DCFG_(constant_address)(const IRExpr* e);

#endif /* __DCFG_DISTANCES_H */
