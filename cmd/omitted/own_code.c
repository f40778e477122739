/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's own code. */

/* Owns: the code whose branches are searched.  Handed: a whole execution
   trace. */

#include "cmd/omitted/own_code.h"

#include "cmd/base/cmd.h"
#include "cmd/base/own.h"
#include "cmd/shared/wet_program.h"

#include <stdlib.h>

static bool image_has_lines(DcfgWet* w, uint32_t first)
{
   uint32_t image = dcfg_wet_instr(w, first)->image;

   for (uint32_t i = first; i < dcfg_wet_instrs(w); i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      if (in->image != image)
         return false;
      if (in->line != 0)
         return true;
   }
   return false;
}

OwnCode own_code_find(DcfgWet* w, const char* own,
                      const DcfgSliceTotal* totals)
{
   uint32_t    n = dcfg_wet_instrs(w), image = UINT32_MAX;
   const char* program = wet_program(w);
   bool        is_own = false, lines = false;
   OwnCode     o = { .executed = zalloc(n + (size_t)1, sizeof(bool)) };

   for (uint32_t i = 0; i < n; i++) {
      DcfgWetInstr in = *dcfg_wet_instr(w, i);
      if (in.image != image) {
         image  = in.image;
         is_own = is_of_program(in.image_name, program, own);
         lines  = is_own && image_has_lines(w, i);
      }
      o.executed[i] = totals[i].executed > 0;
      if (!is_own || !o.executed[i] || is_of_system(in.source)
          || (lines && in.line == 0))
         continue;
      GROW(o.seeds, o.n_seeds, o.room);
      o.seeds[o.n_seeds++] = (CodeSeed){ in.addr, i };
   }
   return o;
}

void own_code_free(OwnCode* o)
{
   free(o->executed);
   free(o->seeds);
}
