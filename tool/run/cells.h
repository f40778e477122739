/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Per-thread counter arrays. */

#ifndef __DCFG_CELLS_H
#define __DCFG_CELLS_H

#include "format/port.h"

/* A cell is one 64-bit word of a thread's array.  Cell numbers are the same in
   every array, so generated code has them as constants.  It adds the base of
   the running thread's array, which is in the shadow guest state.  A number is
   either a counter, or a slot for other data: the mark, the inline cache of an
   indirect branch, an output's data.  Number 0 is not used for either. */
typedef UInt CellNo;

/* Counters in halves.  Generated code counts in words of the host.  If a word
   has 64 bits, the cell is the count.  On 32-bit hosts, a 64-bit addition would
   take four times the instructions.  There the low half of the cell is the word
   that generated code adds to, and the high half counts how often 2^31 was
   carried.  DCFG_(carry_counters) carries before the word can overflow.  So
   counters are read and written only through these functions. */
#define DCFG_COUNTS_IN_HALVES (sizeof(UWord) < sizeof(ULong))
#define DCFG_HALF_BITS        31

static inline ULong DCFG_(count_of_cell)(ULong cell)
{
   return DCFG_COUNTS_IN_HALVES
          ? (cell >> 32 << DCFG_HALF_BITS) + (UInt)cell : cell;
}

static inline ULong DCFG_(cell_of_count)(ULong count)
{
   return DCFG_COUNTS_IN_HALVES
          ? (count >> DCFG_HALF_BITS << 32)
            | (count & ((1u << DCFG_HALF_BITS) - 1)) : count;
}

static inline void DCFG_(add_to_counter)(ULong* cell, ULong n)
{
   *cell = DCFG_(cell_of_count)(DCFG_(count_of_cell)(*cell) + n);
}

/* Return the offset in bytes of cell NO in an array. */
#define DCFG_CELL_OFFSET(no) ((Addr)(no) * sizeof(ULong))

/* Fixed slots at the begin of each array. */
enum {
   /* The cache entry of a branch without a table (tool/run/branch.c): */
   CellMissKey    = 0,  // ~0: no target is equal to it
   CellMissCount  = 1,  // generated code adds to it; never read
   CellMark       = 2,  // see DCFG_MARK
   CellBranches   = 3,  // the thread's BranchCaches, see tool/run/branch.c
   CellAway       = 4,  // not 0: the thread runs excluded code, see tool/run/event.c
   CellFirstClaimed
};

/* Claim N fixed slots for an output, behind these.  Call it before the first
   array is made.  n_fixed_slots() returns the number of all. */
CellNo DCFG_(claim_slots)(UInt n);
UInt   DCFG_(n_fixed_slots)(void);

/* The mark, in cell CellMark: the superblock that the thread ran last (0:
   none), with three flags.  DONE: it says that it has come to its end.
   DIVERTED: the thread was diverted since.  LEFT: it was found inside the
   superblock. tool/run/position.c sets the last two. */
#define DCFG_MARK_OF(id)         ((UWord)(id) << 3)
#define DCFG_MARK_ID(mark)    ((UInt)((mark) >> 3))
#define DCFG_MARK_DONE        1u
#define DCFG_MARK_DIVERTED    2u
#define DCFG_MARK_LEFT        4u

typedef struct _CellArray CellArray;

/* Restart: why counts are forgotten. */
typedef
   enum {
      RestartPart,      // they have been written
      RestartZero,      // the user does not want them
      RestartForked     // this is a forked child: they are the parent's
   }
   Restart;

/* Return the first of N consecutive new numbers for counters or slots.  May
   move every array: see DCFG_(cell_base). */
CellNo DCFG_(new_counters)(UInt n);
CellNo DCFG_(new_slots)(UInt n);

/* Make an array for a new thread.  All cells are zero except CellMissKey. */
CellArray* DCFG_(new_cell_array)(void);

/* Return the array's base, valid until the next new_counters() or new_slots().
   The array must not be retired. */
ULong* DCFG_(cell_base)(CellArray* ca);

/* Retire the array of a thread that has ended: keep the counters that are not
   zero, and free the rest. */
void DCFG_(retire_cell_array)(CellArray* ca);

/* Return the cells of all counters, by number; slots are undefined.  Valid
   until the next call of this function, new_counters() or new_slots(). */
const ULong* DCFG_(cell_counts)(CellArray* ca);

/* Return counter NO. */
ULong DCFG_(count_in)(const CellArray* ca, CellNo no);

/* Move what counter FROM has to counter TO, which is zero and a newer one.
   Return whether FROM was not zero. */
Bool DCFG_(move_counter)(CellArray* ca, CellNo from, CellNo to);

/* Carry the low halves of counters.  Call it before generated code can have
   added 2^31 to a counter since the last call. */
void DCFG_(carry_counters)(CellArray* ca);

/* Call DO_IT for each counter that is not zero. */
void DCFG_(each_counter)(const CellArray* ca,
                         void (*do_it)(void* arg, CellNo no), void* arg);

/* Return a number above all cell numbers. */
UInt DCFG_(n_cells)(void);

/* Clear the array, as a new one is. */
void DCFG_(clear_cell_array)(CellArray* ca);

/* Free an array, retired or not. */
void DCFG_(delete_cell_array)(CellArray* ca);

#endif /* __DCFG_CELLS_H */
