/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The costs of a profile, and its text. */

/* Private to this room. */

#ifndef __DCFG_PROFILE_H
#define __DCFG_PROFILE_H

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "format/put.h"
#include "tool/calls/calls.h"
#include "tool/calls/systime.h"
#include "tool/run/gather.h"
#include "tool/run/image.h"

/*--- Costs: tool/profile/costs.c                          ---*/

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

typedef
   struct {
      UInt        instr;       // index in Gathered.instrs
      const Call* call;
   }
   CostedCall;

/* ContextCosts: all of one context, by instruction. */
typedef
   struct {
      UInt              context;
      const Cost*       costs;
      UInt              n_costs;
      const CostedCall* calls;
      UInt              n_calls;
      const Jump*       jumps;
      UInt              n_jumps;
   }
   ContextCosts;

typedef struct _Costs Costs;

#define DCFG_ALL_THREADS 0xFFFFFFFFu

/* Collect the costs in CP, of THREAD or DCFG_ALL_THREADS, for the run GATHERED.
   Both must live longer than the result. */
Costs* DCFG_(take_costs)(const Gathered* gathered, const CallProfile* cp,
                         UInt thread, Bool with_jumps);
void   DCFG_(delete_costs)(Costs* costs);

/* Get the costs of the next context, by object, file and name.  Valid until the
   next call.  Return False if there is none. */
Bool DCFG_(next_costs)(Costs* costs, ContextCosts* cc);

/* Return the number of all instructions; the system calls, as in a Call; how
   often superblocks ran. */
ULong        DCFG_(total_cost)(const Costs* costs);
const ULong* DCFG_(total_sys)(const Costs* costs);
ULong        DCFG_(total_runs)(const Costs* costs);

/* Return a place that describes an instruction: its own if anything ever jumped
   to it, else one in the same object and section. */
const Place* DCFG_(place_of_instr)(const Costs* costs, UInt instr);

/*--- Text: tool/profile/text.c                            ---*/

/* ProfileFormat: Callgrind's options of these names.  .dump_line or .dump_instr
   is set. */
typedef
   struct {
      Bool dump_line;
      Bool dump_instr;
      Bool compress_strings;
      Bool compress_pos;
      const HChar* time_unit;    // unit of the time of system calls
   }
   ProfileFormat;

/* Names: the numbers of names.  Each part of a combined file has the names of its
   numbers anew, and the numbers are the same in all. */
typedef
   struct {
      VgHashTable* objects;     // NameNumber
      VgHashTable* files;       // NameNumber
      VgHashTable* contexts;    // NameNumber
      UInt         part;        // counts what is written
   }
   Names;

/* Write to OUT the costs COSTS of the run GATHERED with IMAGES.  TRIGGER is the
   reason for the dump.  THREAD is counted from 1; 0: all threads.  NAMES is not
   NULL if there are several parts in a file; IS_LATER: this is not the first. */
void DCFG_(write_profile)(Put* out, const ProfileFormat* format,
                          const Gathered* gathered, const ImageInfo* images,
                          Costs* costs, const HChar* trigger, UInt thread,
                          Names* names, Bool is_later);

#endif
