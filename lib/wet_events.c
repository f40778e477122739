
/*--------------------------------------------------------------------*/
/*--- What a program executed, in its order.        wet_events.c ---*/
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

/* Owns: the events of a whole execution trace, in their order.  Handed:
   records by wet_tape.c.  Taken by: users; who wrote what is found by
   wet_writers.c. */

#include "wet.h"

static bool next_instr(DcfgWet* w, DcfgWetEvent* e)
{
   const WetSb*    sb = &ELEM(w->sbs, WetSb, w->record.sb);
   const WetInstr* in;

   e->kind     = DCFG_WET_INSTR;
   e->instr    = ELEM(w->sb_instrs, uint32_t, sb->instrs.first + w->place);
   in          = &ELEM(w->instrs, WetInstr, e->instr);
   e->addr     = in->addr;
   e->image    = in->image;
   e->thread   = w->thread;
   e->instance = w->instances[e->instr]++;
   e->accesses = w->addrs + w->slot;
   e->n_accesses = 0;
   while (w->slot < w->record.n_slots
          && ELEM(w->accesses, WetAccess, sb->slots.first + w->slot).place
             == w->place) {
      e->n_accesses++;
      w->slot++;
   }
   w->place++;
   return wet_find_writers(w, sb, e);
}

bool dcfg_wet_next(DcfgWet* w, DcfgWetEvent* e, DcfgError* err)
{
   for (;;) {
      if (w->record.sb != 0 && w->place < w->record.n_instrs)
         return next_instr(w, e) || (job_tell(&w->job, err), false);
      w->place = w->slot = 0;
      if (!wet_next_record(w, &w->record)) {
         w->record.sb = 0;
         job_tell(&w->job, err);
         return false;
      }
      if (w->record.sb != 0)
         continue;
      if (w->record.mark == 1) {
         w->thread = (uint32_t)w->record.words[0];
         continue;
      }
      e->kind   = (DcfgWetKind)w->record.mark;
      e->thread = w->thread;
      e->addr   = w->record.words[0];
      e->size   = w->record.words[1];
      if (!wet_note_mark(w, e)) {
         job_tell(&w->job, err);
         return false;
      }
      return true;
   }
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
