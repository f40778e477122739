/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What ran in which function. */

#ifndef __DCFG_CONTEXT_H
#define __DCFG_CONTEXT_H

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "dcfg_bb.h"

/* A context is a function, once for its outermost activation and once
   for all that are inside another one of the same function.  0 is none:
   what runs then is accounted for elsewhere. */
#define DCFG_CONTEXT(function, is_nested) (2 * (function) + (is_nested))
#define DCFG_CONTEXT_FUNCTION(context)    ((context) / 2)
#define DCFG_CONTEXT_IS_NESTED(context)   ((context) % 2)

/* A segment is a run of a superblock's instructions that nothing leaves
   in the middle but a signal: the superblock is divided behind each
   instruction that has an exit.  Behind an exit of the last instruction
   there is a segment of none, which only tells that the exit was not
   taken; it is counted if jumps are wanted.  Each segment has, in slots, a
   cache of two entries {context, count}; nested contexts use the second
   one. */
#define DCFG_SEGMENT_SLOTS 4u

/* The number of the segment that has instruction K, from 0 up (or, where K
   is .n_instrs, of the one behind all), and the first instruction behind
   that segment. */
UInt DCFG_(segment_of)(const Superblock* sb, UInt k);
UInt DCFG_(segment_end)(const Superblock* sb, UInt k);

/* The number of the segments that are counted. */
UInt DCFG_(n_segments)(const Superblock* sb);

/* From now on count segments of no instructions, too. */
void DCFG_(count_last_exits)(void);

/* Segment PLACE of SB was run COUNT times in CONTEXT; or, if .faults, that
   often not from its instruction PLACE on. */
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

/* Give SB, if it has none so far, slots for its segments. */
void DCFG_(count_contexts)(const Superblock* sb);

/* Called by generated code, with the base of the thread's cell array,
   when the running context is not in SEGMENT's cache: puts it there. */
void DCFG_(context_miss)(ULong* base, UWord sb, UWord segment);

/* SB was left at instruction K, by a signal, once more; or once less. */
void DCFG_(count_fault)(ContextCounts* cc, UInt sb, UInt k, UInt context);
void DCFG_(uncount_fault)(ContextCounts* cc, UInt sb, UInt k, UInt context);

/* Bring the counts up to date with a thread's caches. */
void DCFG_(flush_contexts)(ULong* base);

#endif /* __DCFG_CONTEXT_H */
