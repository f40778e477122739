
/*--------------------------------------------------------------------*/
/*--- Per-thread counter arrays.                      dcfg_cells.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: the numbering of cells and the memory behind each thread's.
   Handed: requests for numbers from dcfg_bb.c, for arrays from
   dcfg_thread.c.  Taken by: generated code, which counts in them, and
   dcfg_flow.c, which reads them.

   Arrays are anonymous mappings, so a thread pays for the pages it
   counts in and for nothing else.  Counters and slots are numbered in
   chunks of one page each: a page then holds one sort of word, and the
   array of a dead thread shrinks to its non-zero counters. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#include "dcfg_cells.h"
#include "dcfg_core.h"

#define CHUNK_CELLS 512u                  // 4096 bytes
#define INITIAL_CAPACITY (128u * CHUNK_CELLS)

typedef
   struct {
      CellNo no;
      ULong  count;
   }
   SavedCount;

struct _CellArray {
   ULong*      cells;     // NULL once retired
   SavedCount* saved;     // the counters of a retired array
   UInt        n_saved;
};

static UInt    capacity;       // cells of each live array
static XArray* chunk_counts;   // Bool for each chunk: counters, not slots
static CellNo  next_counter, end_counter;
static CellNo  next_slot,    end_slot;
static XArray* live_arrays;    // CellArray*
static ULong*  expanded;       // what cell_counts made of a retired array
static UInt    expanded_cells;

/*------------------------------------------------------------*/
/*--- Memory                                               ---*/
/*------------------------------------------------------------*/

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

/* Reading a page that was never written costs no memory, writing zeros
   to one would. */
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

/*------------------------------------------------------------*/
/*--- Numbers                                              ---*/
/*------------------------------------------------------------*/

static void init_numbering(void)
{
   Bool slots   = False;
   chunk_counts = VG_(newXA)(VG_(malloc), "dcfg.cells.chunks", VG_(free),
                             sizeof(Bool));
   live_arrays  = VG_(newXA)(VG_(malloc), "dcfg.cells.live", VG_(free),
                             sizeof(CellArray*));
   capacity     = INITIAL_CAPACITY;
   VG_(addToXA)(chunk_counts, &slots);
   next_slot    = N_FIXED_SLOTS;
   end_slot     = CHUNK_CELLS;
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
      /* Generated code adds cell offsets as 31-bit displacements. */
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

/*------------------------------------------------------------*/
/*--- Arrays                                               ---*/
/*------------------------------------------------------------*/

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

void DCFG_(retire_cell_array)(CellArray* ca)
{
   UInt n_chunks = VG_(sizeXA)(chunk_counts);

   for (Int pass = 0; pass < 2; pass++) {
      UInt n = 0;
      for (UInt k = 0; k < n_chunks; k++) {
         if (!*(Bool*)VG_(indexXA)(chunk_counts, k))
            continue;
         for (CellNo c = k * CHUNK_CELLS; c < (k + 1) * CHUNK_CELLS; c++) {
            if (ca->cells[c] == 0)
               continue;
            if (pass == 1) {
               ca->saved[n].no    = c;
               ca->saved[n].count = ca->cells[c];
            }
            n++;
         }
      }
      if (pass == 0)
         ca->saved = VG_(malloc)("dcfg.cells.saved",
                                 (n + 1) * sizeof(SavedCount));
      ca->n_saved = n;
   }
   unmap_array(ca);
}

const ULong* DCFG_(cell_counts)(CellArray* ca)
{
   if (ca->cells != NULL)
      return ca->cells;
   if (expanded_cells < capacity) {
      VG_(free)(expanded);
      expanded_cells = capacity;
      expanded = VG_(malloc)("dcfg.cells.expanded",
                             (SizeT)capacity * sizeof(ULong));
   }
   VG_(memset)(expanded, 0, (SizeT)end_counter * sizeof(ULong));
   for (UInt i = 0; i < ca->n_saved; i++)
      expanded[ca->saved[i].no] = ca->saved[i].count;
   return expanded;
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
   VG_(free)(ca->saved);
   VG_(free)(ca);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
