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
#include "lib/wet/wet_images.h"

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

/* Return whether instructions A and B, neighbours by address, are of one function.
   NAMES are their symbols; code without one may belong to the function on either
   side. */
static bool same_function(const DcfgWet* w, uint32_t a, uint32_t b,
                          const char* const names[2])
{
   return ELEM(w->instrs, WetInstr, a).image
          == ELEM(w->instrs, WetInstr, b).image
          && (names[0] == NULL || names[1] == NULL ? names[0] == names[1]
              : strcmp(names[0], names[1]) == 0);
}

void callbacks_take(Callbacks* c, const uint8_t* bits)
{
   uint32_t n = (uint32_t)c->w->instrs.n, near = 0;

   for (uint32_t i = 0; c->calls != NULL && i < n; i++)
      c->calls[i] = bits[i / 8] >> i % 8 & 1;
   for (uint32_t from = 0, end; c->calls != NULL && from < n; from = end) {
      const char* names[2] = { wet_function_name(c->w, from, &near), NULL };
      bool        any = c->calls[from];
      for (end = from + 1; end < n; end++) {
         names[1] = wet_function_name(c->w, end, &near);
         if (!same_function(c->w, from, end, names))
            break;
         any |= c->calls[end];
      }
      for (uint32_t i = from; i < end && any; i++)
         c->calls[i] = c->q->no_control_of[i];
   }
}
