/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the numbering of cells, and the memory of each thread's cells.
   Handed: requests for numbers from dcfg_bb.c, for arrays from
   tool/run/thread.c.

   Arrays are anonymous mappings, so a thread uses memory only for the pages
   that it counts in.  Counters and slots are numbered in chunks of one page
   each.  So a page has only counters or only slots, and the array of a dead
   thread shrinks to its counters that are not zero. */

#include "tool/base/core.h"
#include "format/order.h"
#include "tool/run/cells.h"

#define CHUNK_CELLS 512u                  // 4096 bytes
#define INITIAL_CAPACITY (128u * CHUNK_CELLS)

typedef
   struct {
      CellNo no;
      ULong  cell;
   }
   SavedCount;

struct _CellArray {
   ULong*      cells;     // NULL for a retired array
   SavedCount* saved;     // counters of a retired array, by number
   UInt        n_saved, room;
};

static UInt    capacity;       // cells of each array
static XArray* chunk_counts;   // Bool: does this chunk have counters?
static CellNo  next_counter, end_counter;
static CellNo  next_slot,    end_slot;
static UInt    n_fixed = CellFirstClaimed;
static XArray* live_arrays;    // CellArray*
static ULong*  expanded;       // a retired array, expanded by cell_counts()
static UInt    expanded_cells;
static const CellArray* in_expanded;

/*--- Memory                                               ---*/

static ULong* map_cells(UInt n)
{
   ULong* p = DCFG_(map_zeroed)((SizeT)n * sizeof(ULong));
   if (p == NULL) {
      VG_(umsg)("dcfg: cannot map %lu bytes for a thread's counters\n",
                (SizeT)n * sizeof(ULong));
      VG_(exit)(1);
   }
   return p;
}

static Bool chunk_is_zero(const ULong* p)
{
   for (UInt i = 0; i < CHUNK_CELLS; i++)
      if (p[i] != 0)
         return False;
   return True;
}

/* Enlarge all arrays.  Pages of zeros are not copied: reading a page that was
   never written costs no memory, but writing would. */
static void grow_arrays(UInt need)
{
   UInt old = capacity;
   while (capacity < need)
      capacity *= 2;
   for (Word i = 0; i < VG_(sizeXA)(live_arrays); i++) {
      CellArray* ca = *(CellArray**)VG_(indexXA)(live_arrays, i);
      ULong*  cells = map_cells(capacity);
      for (UInt c = 0; c < old; c += CHUNK_CELLS)
         if (!chunk_is_zero(ca->cells + c))
            VG_(memcpy)(cells + c, ca->cells + c,
                        CHUNK_CELLS * sizeof(ULong));
      VG_(am_munmap_valgrind)((Addr)ca->cells, (SizeT)old * sizeof(ULong));
      ca->cells = cells;
   }
}

/*--- Numbers                                              ---*/

static void init_numbering(void)
{
   Bool slots   = False;
   chunk_counts = DCFG_NEW_ARRAY("dcfg.cells.chunks", Bool);
   live_arrays  = DCFG_NEW_ARRAY("dcfg.cells.live", CellArray*);
   capacity     = INITIAL_CAPACITY;
   VG_(addToXA)(chunk_counts, &slots);
   next_slot    = n_fixed;
   end_slot     = CHUNK_CELLS;
}

CellNo DCFG_(claim_slots)(UInt n)
{
   tl_assert(chunk_counts == NULL && n_fixed + n <= CHUNK_CELLS);
   n_fixed += n;
   return n_fixed - n;
}

UInt DCFG_(n_fixed_slots)(void)
{
   return n_fixed;
}

static CellNo new_cells(UInt n, Bool counts, CellNo* next, CellNo* end)
{
   if (chunk_counts == NULL)
      init_numbering();
   if (*end - *next < n) {
      UInt first = VG_(sizeXA)(chunk_counts);
      UInt more  = (n + CHUNK_CELLS - 1) / CHUNK_CELLS;
      for (UInt i = 0; i < more; i++)
         VG_(addToXA)(chunk_counts, &counts);
      *next = first * CHUNK_CELLS;
      *end  = (first + more) * CHUNK_CELLS;
      /* Offsets of cells are 31-bit displacements in generated code. */
      tl_assert(*end < (1u << 28));
      if (*end > capacity)
         grow_arrays(*end);
   }
   *next += n;
   return *next - n;
}

CellNo DCFG_(new_counters)(UInt n)
{
   return new_cells(n, True, &next_counter, &end_counter);
}

CellNo DCFG_(new_slots)(UInt n)
{
   return new_cells(n, False, &next_slot, &end_slot);
}

/*--- Arrays                                               ---*/

CellArray* DCFG_(new_cell_array)(void)
{
   if (chunk_counts == NULL)
      init_numbering();
   CellArray* ca = VG_(calloc)("dcfg.cells.array", 1, sizeof(CellArray));
   ca->cells = map_cells(capacity);
   ca->cells[CellMissKey] = ~0ULL;
   VG_(addToXA)(live_arrays, &ca);
   return ca;
}

ULong* DCFG_(cell_base)(CellArray* ca)
{
   return ca->cells;
}

static void unmap_array(CellArray* ca)
{
   VG_(am_munmap_valgrind)((Addr)ca->cells,
                           (SizeT)capacity * sizeof(ULong));
   ca->cells = NULL;
   for (Word i = 0; i < VG_(sizeXA)(live_arrays); i++)
      if (*(CellArray**)VG_(indexXA)(live_arrays, i) == ca) {
         VG_(removeIndexXA)(live_arrays, i);
         break;
      }
}

UInt DCFG_(n_cells)(void)
{
   return VG_(sizeXA)(chunk_counts) * CHUNK_CELLS;
}

void DCFG_(each_counter)(const CellArray* ca,
                         void (*do_it)(void* arg, CellNo no), void* arg)
{
   if (ca->cells == NULL) {
      for (UInt i = 0; i < ca->n_saved; i++)
         if (ca->saved[i].cell != 0)
            do_it(arg, ca->saved[i].no);
      return;
   }
   for (UInt k = 0; k < (UInt)VG_(sizeXA)(chunk_counts); k++) {
      if (!*(Bool*)VG_(indexXA)(chunk_counts, k))
         continue;
      for (CellNo c = k * CHUNK_CELLS; c < (k + 1) * CHUNK_CELLS; c++)
         if (ca->cells[c] != 0)
            do_it(arg, c);
   }
}

static void carry_counter(void* arg, CellNo no)
{
   DCFG_(add_to_counter)(&((CellArray*)arg)->cells[no], 0);
}

void DCFG_(carry_counters)(CellArray* ca)
{
   DCFG_(each_counter)(ca, carry_counter, ca);
}

static void count_counters(void* arg, CellNo no)
{
   (void)no;
   ++*(UInt*)arg;
}

static void save_counter(void* arg, CellNo no)
{
   CellArray* ca = arg;
   SavedCount s  = { no, ca->cells[no] };

   ca->saved[ca->n_saved++] = s;
}

void DCFG_(retire_cell_array)(CellArray* ca)
{
   UInt n = 0;

   DCFG_(each_counter)(ca, count_counters, &n);
   ca->room  = n + 1;
   ca->saved = VG_(malloc)("dcfg.cells.saved", ca->room * sizeof(SavedCount));
   DCFG_(each_counter)(ca, save_counter, ca);
   unmap_array(ca);
}

/* Clear only the cells that were set: there may be thousands of threads. */
static void empty_expanded(void)
{
   if (in_expanded == NULL)
      return;
   for (UInt i = 0; i < in_expanded->n_saved; i++)
      expanded[in_expanded->saved[i].no] = 0;
   in_expanded = NULL;
}

const ULong* DCFG_(cell_counts)(CellArray* ca)
{
   if (ca->cells != NULL)
      return ca->cells;
   if (expanded_cells < capacity) {
      if (expanded != NULL)
         VG_(am_munmap_valgrind)((Addr)expanded,
                                 (SizeT)expanded_cells * sizeof(ULong));
      in_expanded    = NULL;
      expanded_cells = capacity;
      expanded       = map_cells(capacity);
   }
   if (ca == in_expanded)
      return expanded;
   empty_expanded();
   for (UInt i = 0; i < ca->n_saved; i++)
      expanded[ca->saved[i].no] = ca->saved[i].cell;
   in_expanded = ca;
   return expanded;
}

/* Return the cell of counter NO, or NULL if CA is retired and has none. */
static ULong* cell_of(const CellArray* ca, CellNo no)
{
   UInt lo = 0;

   if (ca->cells != NULL)
      return &ca->cells[no];
   BISECT(lo, ca->n_saved, mid, ca->saved[mid].no < no);
   return lo < ca->n_saved && ca->saved[lo].no == no ? &ca->saved[lo].cell
                                                     : NULL;
}

ULong DCFG_(count_in)(const CellArray* ca, CellNo no)
{
   const ULong* cell = cell_of(ca, no);

   return cell == NULL ? 0 : DCFG_(count_of_cell)(*cell);
}

/* Add a counter to a retired array, with a higher number than all that it
   has. */
static void append_saved(CellArray* ca, CellNo no, ULong cell)
{
   if (ca->n_saved == ca->room) {
      ca->room *= 2;
      ca->saved = VG_(realloc)("dcfg.cells.saved", ca->saved,
                               ca->room * sizeof(SavedCount));
   }
   ca->saved[ca->n_saved++] = (SavedCount){ no, cell };
}

Bool DCFG_(move_counter)(CellArray* ca, CellNo from, CellNo to)
{
   ULong* cell = cell_of(ca, from);
   ULong  has  = cell == NULL ? 0 : *cell;

   if (has == 0)
      return False;
   if (ca == in_expanded)
      empty_expanded();
   *cell = 0;
   if (ca->cells != NULL)
      ca->cells[to] = has;
   else
      append_saved(ca, to, has);
   return True;
}

void DCFG_(clear_cell_array)(CellArray* ca)
{
   for (UInt k = 0; k < (UInt)VG_(sizeXA)(chunk_counts); k++)
      if (!chunk_is_zero(ca->cells + k * CHUNK_CELLS))
         VG_(memset)(ca->cells + k * CHUNK_CELLS, 0,
                     CHUNK_CELLS * sizeof(ULong));
   ca->cells[CellMissKey] = ~0ULL;
}

void DCFG_(delete_cell_array)(CellArray* ca)
{
   if (ca->cells != NULL)
      unmap_array(ca);
   if (ca == in_expanded)
      empty_expanded();
   DCFG_FREE_ALL(ca->saved, ca);
}
