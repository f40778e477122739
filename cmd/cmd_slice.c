
/*--------------------------------------------------------------------*/
/*--- dcfg slice                                     cmd_slice.c ---*/
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

/* Owns: dcfg slice.  Handed: a whole execution trace.  Taken by: commands.c. */

#include "commands.h"
#include "operands.h"
#include "roles.h"

#include "../lib/dcfg_slice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int run(int argc, char** argv)
{
   const char* at = NULL, *of = NULL;
   bool thin = false, full = false, forward = false;
   const Opt   opts[] = {
      { "at", OPT_TEXT, &at }, { "of", OPT_TEXT, &of }, { "thin", OPT_FLAG, &thin },
      { "full", OPT_FLAG, &full }, { "forward", OPT_FLAG, &forward }
   };
   const char* files[1];
   DcfgError err;
   parse_args(&slice_command, opts, sizeof(opts) / sizeof(opts[0]), argc, argv,
              files, 1, 1);
   DcfgOptions o = read_options(NULL, NULL);
   DcfgWet* w = dcfg_wet_open(files[0], &o, &err);
   if (w == NULL)
      die("%s", unreadable(&err, false));
   uint32_t n = dcfg_wet_instrs(w);
   Roles r = roles_new(w);
   bool* instrs = zalloc(n + 1, 1), *nc = zalloc(n + 1, 1);
   DcfgSliceQuery q = { .instrs = instrs, .instance = DCFG_SLICE_LAST, .forward = forward };
   const char* colon = strrchr(at, ':');
   uint32_t image = 0;
   if (colon != NULL) {
      q.run = true;
      for (uint32_t i = 0; i < n; i++) {
         const DcfgWetInstr* in = dcfg_wet_instr(w, i);
         const char* base = in->source == NULL ? "" : strrchr(in->source, '/') ? strrchr(in->source, '/') + 1 : in->source;
         instrs[i] = in->source != NULL && strlen(base) == (size_t)(colon - at)
                     && memcmp(base, at, colon - at) == 0 && in->line == (unsigned)atoi(colon + 1);
         if (instrs[i])
            image = in->image;
      }
   } else {
      char* end;
      uint64_t a = strtoull(at, &end, 16);
      if (*end == '#')
         q.instance = strtoull(end + 1, NULL, 10);
      for (uint32_t i = 0; i < n; i++)
         if (dcfg_wet_instr(w, i)->addr == a) {
            instrs[i] = true;
            image = dcfg_wet_instr(w, i)->image;
         }
   }
   for (uint32_t i = 0; i < n; i++) {
      nc[i] = dcfg_wet_instr(w, i)->image != image;
      if (!thin)
         r.addresses[i] &= 1 << 4;
   }
   if (!full) {
      q.no_address = r.addresses;
      q.no_control_of = nc;
      q.no_control = thin;
   }
   DcfgSlice* s = dcfg_slice_new(w, &q, &err);
   if (s == NULL)
      die("%s", unreadable(&err, false));
   for (uint32_t i = 0; i < s->n_nodes; i++) {
      const DcfgSliceNode* d = &s->nodes[i];
      const DcfgWetInstr* in = dcfg_wet_instr(w, d->instr);
      char text[200];
      instr_text(in, text, sizeof(text));
      printf("%u d%u 0x%" PRIx64 "#%" PRIu64 " %s:%u %s |", i, d->distance, in->addr, d->instance,
             in->function, in->line, text);
      for (uint32_t k = 0; k < d->n_inputs; k++) {
         const DcfgSliceInput* si = &s->inputs[d->first_input + k];
         printf(" %u.%u=%d", si->port, si->reg, (int)si->node);
      }
      printf(" |");
      for (uint32_t k = d->value_size; k-- > 0; )
         printf("%02x", s->values[d->value + k]);
      printf("\n");
   }
   printf("%u instances of %" PRIu64 "\n", s->n_nodes, s->n_executed);
   dcfg_slice_free(s);
   dcfg_wet_close(w);
   return STATUS_OK;
}

const Command slice_command = {
   "slice", "FILE", "where a value came from",
   "Prints a slice.\n",
   run
};

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
