/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Per-thread counter arrays. */

#ifndef __DCFG_CELLS_H
#define __DCFG_CELLS_H

#include "base/port.h"

/* A cell is one 64-bit word.  Cell numbers are the same in every
   thread's array, so that generated code holds them as constants and
   adds the running thread's array base, which it finds in shadow guest
   state.  A number is either a counter or a slot (the mark, inline-cache
   data of an indirect branch, what an output has claimed); 0 is never
   either. */
typedef UInt CellNo;

/* Generated code counts in words of the host.  Where these have 64 bits, the
   cell of a counter is its count.  Where they have 32, an addition of 64 bits
   takes four times the instructions; there the low half of the cell is the
   word that is added to, and the high half says how often 2^31 was carried
   there: by DCFG_(carry_counters), before the word can overflow.  So nobody
   reads or writes counters but through these. */
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

/* Offset in bytes of a cell from the array's base. */
#define DCFG_CELL_OFFSET(no) ((Addr)(no) * sizeof(ULong))

/* Fixed slots at the start of each array. */
enum {
   /* The cache entry of a branch that has no table (run/branch.c): */
   CellMissKey    = 0,  // ~0, which equals no target
   CellMissCount  = 1,  // generated code adds to it; nobody reads it
   CellMark       = 2,  // see DCFG_MARK
   CellBranches   = 3,  // the thread's BranchCaches, see run/branch.c
   CellAway       = 4,  // not 0: the thread runs code that is left out, see
                        // run/away.c
   CellFirstClaimed
};

/* Behind them, N fixed slots of an output's own.  To be asked for before the
   first array is made; n_fixed_slots() is how many there are in all. */
CellNo DCFG_(claim_slots)(UInt n);
UInt   DCFG_(n_fixed_slots)(void);

/* The mark in cell CellMark: which superblock the thread last ran (0:
   none), whether that one says it has come to its end, and whether the
   thread was diverted since, or was found in the middle of it (both set by
   run/position.c). */
#define DCFG_MARK_OF(id)         ((UWord)(id) << 3)
#define DCFG_MARK_ID(mark)    ((UInt)((mark) >> 3))
#define DCFG_MARK_DONE        1u
#define DCFG_MARK_DIVERTED    2u
#define DCFG_MARK_LEFT        4u

typedef struct _CellArray CellArray;

/* Why what arrays have counted is forgotten. */
typedef
   enum {
      RestartPart,      // it has been written
      RestartZero,      // it is not wanted
      RestartForked     // it was of another process, with all other threads
   }
   Restart;

/* Numbers for N consecutive counters, or N consecutive slots.  May move
   every array: see DCFG_(cell_base). */
CellNo DCFG_(new_counters)(UInt n);
CellNo DCFG_(new_slots)(UInt n);

/* A new thread's array, all cells zero but for CellMissKey. */
CellArray* DCFG_(new_cell_array)(void);

/* The array's base.  Valid until the next new_counters or new_slots.
   Not for a retired array. */
ULong* DCFG_(cell_base)(CellArray* ca);

/* The thread has ended: keep the counters that are not zero, give the
   array back. */
void DCFG_(retire_cell_array)(CellArray* ca);

/* All counters' cells, indexed by number; slots are undefined.  Valid
   until the next call of this function or of new_counters/new_slots. */
const ULong* DCFG_(cell_counts)(CellArray* ca);

/* Counter NO alone. */
ULong DCFG_(count_in)(const CellArray* ca, CellNo no);

/* To be called before generated code has added 2^31 to any counter since the
   last time. */
void DCFG_(carry_counters)(CellArray* ca);

/* Call DO_IT for each counter that is not zero. */
void DCFG_(each_counter)(const CellArray* ca,
                         void (*do_it)(void* arg, CellNo no), void* arg);

/* Numbers are below this. */
UInt DCFG_(n_cells)(void);

/* Back to the state of a new array (after fork, in the child). */
void DCFG_(clear_cell_array)(CellArray* ca);

/* Free an array that is retired or live. */
void DCFG_(delete_cell_array)(CellArray* ca);

#endif /* __DCFG_CELLS_H */
