/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Jumps within functions. */

/* Private to profile/. */

#ifndef __DCFG_JUMPS_H
#define __DCFG_JUMPS_H

#include "dcfg_bb.h"
#include "tool/run/flow.h"
#include "tool/run/gather.h"

/* Instructions are indices of Gathered.instrs. */

typedef
   struct {
      UInt  instr;
      ULong count;             // executions
   }
   Cost;

typedef
   struct {
      UInt  from, to;
      ULong count;
      ULong executed;          // executions of .from
      Bool  is_conditional;
   }
   Jump;

/* SbCosts: how often a superblock ran in a context of .rank: each of its
   instructions, and each of its segments. */
typedef
   struct {
      const Superblock* sb;
      UInt  rank;
      UInt  instrs[DCFG_MAX_INSTRS];     // DCFG_NO_INSTR: never ran
      ULong executed[DCFG_MAX_INSTRS];
      ULong segments[DCFG_MAX_INSTRS + 1];
   }
   SbCosts;

typedef struct _Jumps Jumps;

/* Prepare jumps for THREAD or DCFG_ALL_THREADS.  PLACES has an element for each
   instruction of P.  Both must live longer than the result. */
#define DCFG_ALL_THREADS 0xFFFFFFFFu
Jumps* DCFG_(new_jumps)(const Gathered* p, const Place* const* places,
                        UInt thread);
void   DCFG_(delete_jumps)(Jumps* js);

/* Note that a context of RANK ran superblock SB COUNT times.  Call it for all
   contexts before add_jumps(). */
void DCFG_(note_runs)(Jumps* js, UInt sb, UInt rank, ULong count);

/* Add the jumps of a superblock in the present context. */
void DCFG_(add_jumps)(Jumps* js, const SbCosts* sc);

/* Return the jumps that were added since the last call, sorted by the first
   instruction: one of a kind for each pair of instructions.  Executions of the
   first instruction come from COSTS, which is sorted as well.  Valid until the
   next call of add_jumps(). */
const Jump* DCFG_(take_jumps)(Jumps* js, const Cost* costs, UInt* n_jumps);

#endif /* __DCFG_JUMPS_H */
