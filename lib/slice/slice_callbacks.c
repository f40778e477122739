/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Who calls back. */

/* Owns: which code, of that of which control is not followed, called back to
   other code.  Handed: activations by slice_acts.c.  Taken by: slice_back.c.

   qsort() calls a function that calls the comparison: what all of them do is
   decided by what the program returned.  So it is all activations between the
   program's call and its being called, and of these the whole functions. */

#include "lib/slice/slice.h"

#include <string.h>

#define ACT(z, i) (&ELEM((z)->acts, Act, i))

void slice_note_callback(Slicer* z, uint32_t act, uint32_t first)
{
   if (z->q->no_control_of[first])
      return;
   while (act != 0) {
      uint32_t call = ACT(z, act)->call;
      if (call == DCFG_NONE || !z->q->no_control_of[call])
         return;
      z->calls_back[call] = true;
      act = ACT(z, act)->up;
   }
}

/* Are these, one behind the other, of one function?  All that has no symbol
   between two that have one may be. */
static bool same_function(const DcfgWetInstr* a, const DcfgWetInstr* b)
{
   return a->image == b->image
          && (a->function == NULL || b->function == NULL
              ? a->function == b->function
              : strcmp(a->function, b->function) == 0);
}

void slice_spread_callbacks(Slicer* z)
{
   uint32_t n = (uint32_t)z->w->instrs.n;

   for (uint32_t from = 0, end; from < n; from = end) {
      DcfgWetInstr in = *dcfg_wet_instr(z->w, from);
      bool         any = z->calls_back[from];
      for (end = from + 1; end < n; end++) {
         if (!same_function(&in, dcfg_wet_instr(z->w, end)))
            break;
         any |= z->calls_back[end];
      }
      for (uint32_t i = from; i < end && any; i++)
         z->calls_back[i] = z->q->no_control_of[i];
   }
}
