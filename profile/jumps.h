/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Jumps within functions. */

/* Private to profile/. */

#ifndef __DCFG_JUMPS_H
#define __DCFG_JUMPS_H

#include "dcfg_bb.h"
#include "run/flow.h"
#include "run/gather.h"

/* Instructions are named by their places in the Gathered. */

typedef
   struct {
      UInt  instr;
      ULong count;             // times it ran
   }
   Cost;

typedef
   struct {
      UInt  from, to;
      ULong count;
      ULong executed;          // times .from ran
      Bool  is_conditional;
   }
   Jump;

/* What a superblock did in a context, which is of RANK: how often each of its
   instructions and each of its segments ran. */
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

/* Of THREAD or of DCFG_ALL_THREADS.  PLACES has one for each instruction of
   P; both are to outlive it. */
#define DCFG_ALL_THREADS 0xFFFFFFFFu
Jumps* DCFG_(new_jumps)(const Gathered* p, const Place* const* places,
                        UInt thread);
void   DCFG_(delete_jumps)(Jumps* js);

/* A context of RANK ran superblock SB COUNT times.  Said of all contexts
   before the first jump is added. */
void DCFG_(note_runs)(Jumps* js, UInt sb, UInt rank, ULong count);

/* Add the jumps of a superblock in the context in work. */
void DCFG_(add_jumps)(Jumps* js, const SbCosts* sc);

/* All that were added since the last time: one of a kind for each two
   instructions, in order of the first, with how often that ran as COSTS say,
   which are in order too.  Valid until the next call of add_jumps. */
const Jump* DCFG_(take_jumps)(Jumps* js, const Cost* costs, UInt* n_jumps);

#endif /* __DCFG_JUMPS_H */
