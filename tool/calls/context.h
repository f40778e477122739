/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Costs by context: how often code ran in which function. */

#ifndef __DCFG_CONTEXT_H
#define __DCFG_CONTEXT_H

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "dcfg_bb.h"

/* Context: a function, once for its outermost activation and once for all
   activations inside another one of the same function.  0 is no context: costs
   are counted elsewhere then. */
#define DCFG_CONTEXT(function, is_nested) (2 * (function) + (is_nested))
#define DCFG_CONTEXT_FUNCTION(context)    ((context) / 2)
#define DCFG_CONTEXT_IS_NESTED(context)   ((context) % 2)

/* Segment: a sequence of a superblock's instructions that only a signal can
   leave in the middle.  A superblock is divided after each instruction that has
   an exit.  After an exit of the last instruction there is an empty segment,
   which counts how often the exit was not taken, if jumps are wanted.  Each
   segment has slots for a cache of two entries {context, count}; the second one
   is for nested contexts. */
#define DCFG_SEGMENT_SLOTS 4u

/* Return the number, from 0, of the segment that has instruction K, or of the
   empty one if K is .n_instrs; return the first instruction behind that
   segment. */
UInt DCFG_(segment_of)(const Superblock* sb, UInt k);
UInt DCFG_(segment_end)(const Superblock* sb, UInt k);

/* Return the number of segments that are counted. */
UInt DCFG_(n_segments)(const Superblock* sb);

/* Count empty segments, too, from now on. */
void DCFG_(count_last_exits)(void);

/* ContextCount: segment PLACE of SB ran COUNT times in CONTEXT; or, if .faults,
   signals kept it COUNT times from running instruction PLACE and the rest. */
typedef
   struct _ContextCount {
      struct _ContextCount* hash_next;
      UWord                 hash_key;
      UInt                  sb;
      UInt                  context;
      UShort                place;
      Bool                  faults;
      ULong                 count;
   }
   ContextCount;

typedef VgHashTable ContextCounts;

ContextCounts* DCFG_(new_context_counts)(void);
void           DCFG_(delete_context_counts)(ContextCounts* cc);

/* Give SB slots for its segments, if it has none. */
void DCFG_(count_contexts)(const Superblock* sb);

/* Put the present context into SEGMENT's cache.  Called by generated code, with
   the base of the thread's cell array, if another one is there. */
void DCFG_(context_miss)(ULong* base, UWord sb, UWord segment);

/* Count that a signal left SB at instruction K; take that back. */
void DCFG_(count_fault)(ContextCounts* cc, UInt sb, UInt k, UInt context);
void DCFG_(uncount_fault)(ContextCounts* cc, UInt sb, UInt k, UInt context);

/* Empty the caches of the thread at BASE into its counts. */
void DCFG_(flush_contexts)(ULong* base);

#endif /* __DCFG_CONTEXT_H */
