/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Code that calls back. */

/* Owns: the functions that call back, among the code whose control is not
   followed.  Handed: activations by slice_acts.c.

   The function qsort() calls another one, which calls the comparison.  Both
   depend on the values that the program returned.  So all functions with an
   activation between the program's call and the call back count as calling
   back. */

#include "lib/slice/slice_callbacks.h"

#include <stdlib.h>
#include <string.h>

bool callbacks_start(Callbacks* c, const SliceCode* code)
{
   *c = (Callbacks){ .w = code->w, .q = code->q };
   if (c->q->callbacks)
      c->calls = job_calloc(code->job, c->w->instrs.n + 1, sizeof(bool));
   return !c->q->callbacks || c->calls != NULL;
}

void callbacks_free(Callbacks* c)
{
   free(c->calls);
}

bool callbacks_note(Callbacks* c, uint32_t first, uint32_t call)
{
   if (c->q->no_control_of[first] || call == DCFG_NONE
       || !c->q->no_control_of[call])
      return false;
   c->calls[call] = true;
   return true;
}

/* Return whether A and B, neighbours by address, are of one function.  Code
   without a symbol may belong to the function on either side. */
static bool same_function(const DcfgWetInstr* a, const DcfgWetInstr* b)
{
   return a->image == b->image
          && (a->function == NULL || b->function == NULL
              ? a->function == b->function
              : strcmp(a->function, b->function) == 0);
}

void callbacks_take(Callbacks* c, const uint8_t* bits)
{
   uint32_t n = (uint32_t)c->w->instrs.n;

   for (uint32_t i = 0; c->calls != NULL && i < n; i++)
      c->calls[i] = bits[i / 8] >> i % 8 & 1;
   for (uint32_t from = 0, end; c->calls != NULL && from < n; from = end) {
      DcfgWetInstr in = *dcfg_wet_instr(c->w, from);
      bool         any = c->calls[from];
      for (end = from + 1; end < n; end++) {
         if (!same_function(&in, dcfg_wet_instr(c->w, end)))
            break;
         any |= c->calls[end];
      }
      for (uint32_t i = from; i < end && any; i++)
         c->calls[i] = c->q->no_control_of[i];
   }
}
