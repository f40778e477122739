/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The events of a whole execution trace. */

/* Owns: the events of a whole execution trace, in order.  Handed: records by
   wet_tape.c, writers by wet_writers.c, control by wet_control.c.

   The tape has what the kernel read for a system call behind the call, but it
   is part of that event: so these marks are read ahead. */

#include "lib/wet/wet_effects.h"
#include "lib/wet/wet_state.h"
#include "lib/wet/wet.h"
#include "lib/wet/wet_control.h"
#include "lib/wet/wet_names.h"
#include "lib/wet/wet_taken.h"

#include <inttypes.h>
#include <string.h>

/* Reading: memory that the kernel read. */
typedef
   struct {
      uint64_t addr, size;
   }
   Reading;

/* Take the next record to .record. */
static inline bool advance(DcfgWet* w)
{
   w->place = 0;
   if (w->held) {
      w->held = false;
      return true;
   }
   if (w->next_step == w->steps.n_steps) {
      w->next_step = 0;
      if (w->ended || !wet_next_block(w, SLOTS_OF_ALL, &w->steps)) {
         w->steps.n_steps = 0;
         w->ended  = true;
         w->record = (WetStep){ 0 };
         return false;
      }
   }
   w->record = w->steps.steps[w->next_step++];
   w->addrs  = w->steps.addrs + w->record.first;
   return true;
}

/* Keep the accesses of E while the next record is read: with a block they are
   gone. */
static void keep_accesses(DcfgWet* w, DcfgWetEvent* e)
{
   if (e->n_accesses == 0)
      return;
   memcpy(w->kept, e->accesses, e->n_accesses * sizeof(*w->kept));
   e->accesses = w->kept;
}

/* Read ahead what the kernel read for E, a system call. */
static bool read_ahead(DcfgWet* w, DcfgWetEvent* e)
{
   keep_accesses(w, e);
   while (advance(w)) {
      if (w->record.sb != 0 || w->record.mark != DCFG_WET_READ
          || w->record.thread != e->thread) {
         w->held = true;
         break;
      }
      Reading* r = array_add(&w->job, &w->reads, sizeof(*r));
      if (r == NULL || !wet_add_read(w, w->addrs[0], w->addrs[1], e))
         return false;
      *r = (Reading){ w->addrs[0], w->addrs[1] };
   }
   return true;
}

/* Return whether the user wants to be told of the instruction at AT now. */
static inline bool is_told(const DcfgWet* w, const InstrPlan* at)
{
   return (w->told_instrs == NULL || w->told_instrs[at->instr])
          && (w->told_thread == DCFG_NONE || w->record.thread == w->told_thread)
          && w->time >= w->told_from && w->time <= w->told_to;
}

/* Set E->taken.  The next record is read ahead only if nothing else tells where
   a branch went. */
static inline void find_taken(DcfgWet* w, const InstrPlan* at, DcfgWetEvent* e)
{
   uint8_t kind = w->plans[at->instr].kind;
   WetStep branch;

   e->taken = kind >= InsnJump && kind <= InsnReturn ? DCFG_WET_TAKEN
                                                     : DCFG_WET_NOT_TAKEN;
   if (kind != InsnCond || wet_find_taken(w, at, &e->taken))
      return;
   branch = w->record;
   keep_accesses(w, e);
   w->held  = advance(w);
   e->taken = wet_taken_to(w, at, &branch, w->held ? &w->record : NULL);
}

/* Go on to the next instruction of the record; fill in E if *TOLD. */
static inline bool next_instr(DcfgWet* w, DcfgWetEvent* e, bool* told)
{
   const WetSb* sb = &ELEM(w->sbs, WetSb, w->record.sb);
   const InstrPlan* at = &w->places[sb->instrs.first + w->place];
   const Plan*  plan = &w->plans[at->instr];
   Writer       control = 0;

   *told       = is_told(w, at);
   e->kind     = DCFG_WET_INSTR;
   e->instr    = at->instr;
   e->addr     = plan->addr;
   e->image    = plan->image;
   e->size     = 0;
   e->thread   = w->record.thread;
   e->instance = w->instances[at->instr]++;
   e->time     = w->time++;
   wet_find_accesses(w, at, e);
   e->stack      = wet_stack_pointer(w, at);
   e->has_value  = false;
   e->value_size = 0;
   if (at->n_values > 0)
      wet_find_value(w, at, e);
   if (w->control != NULL) {
      if (w->place > 0 && !w->is_point[at - w->places])
         control = wet_same_control(w, w->record.thread);
      else if (!wet_find_control(w, e, at->stack ? wet_stack_pointer(w, at)
                                                 : 0, &control))
         return false;
   }
   w->place++;
   if (!wet_find_writers(w, at, control, e))
      return false;
   if (*told)
      find_taken(w, at, e);
   /* A system call ends its superblock, unless the file is broken. */
   if (*told && plan->kind == InsnSyscall && w->place >= w->record.n_instrs
       && !read_ahead(w, e))
      return false;
   if (w->namer != NULL && plan->kind == InsnSyscall)
      wet_name_syscall(w, at, e);
   return true;
}

/* Return whether all numbers of instances fit into INSTANCE_BITS bits. */
static bool fits(DcfgWet* w)
{
   const WetSb* sb = &ELEM(w->sbs, WetSb, w->record.sb);
   const InstrPlan* at = &w->places[sb->instrs.first];

   for (const InstrPlan* end = at + w->record.n_instrs; at < end; at++)
      if ((w->instances[at->instr] + at->nth) >> INSTANCE_BITS != 0)
         return job_fail(&w->job, DCFG_ERROR_LIMIT, "tape",
                         "the instruction at 0x%" PRIx64 " was executed more "
                         "than 2^%d times", w->plans[at->instr].addr,
                         INSTANCE_BITS);
   return true;
}

/* Return whether no number of the record's instructions overflows at this
   record. */
static inline bool may_count(DcfgWet* w)
{
   return add_capped(w->time, w->most_before) >> INSTANCE_BITS == 0
          || fits(w);
}

/* Return whether nothing of the record will be told, or only what has a
   name. */
static inline bool is_skipped(const DcfgWet* w)
{
   return w->namer != NULL
          || (w->record.way != DCFG_NONE && w->way_skipped != NULL
              && w->way_skipped[w->record.way])
          || (w->told_thread != DCFG_NONE && w->record.thread != w->told_thread)
          || w->time > w->told_to
          || w->time + w->record.n_instrs <= w->told_from;
}

/* Pass the whole record at once, if nothing of it is told and it has an
   Effect. */
static inline bool pass(DcfgWet* w)
{
   uint32_t n;

   if (!is_skipped(w))
      return true;
   if (!wet_pass_record(w, &n))
      return false;
   w->place = n;
   w->time += n;
   return true;
}

/* Set the members of E that its mark, the present record, has beside words. */
static bool tell_mark(DcfgWet* w, DcfgWetEvent* e)
{
   const WetMark* m = w->mark;

   if (!wet_read_mark(w, w->mark))
      return false;
   e->bytes       = m->bytes;
   e->result      = difference_of(w->addrs[0]);
   e->signal      = (uint32_t)w->addrs[0];
   e->tid         = w->addrs[1];
   e->mapping     = &m->mapping;
   e->registers   = m->registers.data;
   e->n_registers = (uint32_t)m->registers.n;
   return true;
}

/* Handle a mark.  *TOLD: the user wants to be told of it. */
static bool next_mark(DcfgWet* w, DcfgWetEvent* e, bool* told)
{
   *told = w->record.mark != MarkTop;
   if (!*told)
      return wet_note_top(w);
   wet_take_mark(w, e);
   return wet_note_mark(w, e) && tell_mark(w, e)
          && (w->control == NULL || wet_control_mark(w, e));
}

/* Forget readings that were told or never will be. */
static void forget_reads(DcfgWet* w)
{
   array_cut(&w->reads, 0);
   w->n_told = 0;
}

bool dcfg_wet_next(DcfgWet* w, DcfgWetEvent* e, DcfgError* err)
{
   bool ok, told = false;

   w->begun = true;
   if (w->n_told < w->reads.n) {
      Reading r = ELEM(w->reads, Reading, w->n_told);
      e->kind = DCFG_WET_READ;
      e->addr = r.addr;
      e->size = r.size;
      if (++w->n_told == w->reads.n)
         forget_reads(w);
      return true;
   }
   do {
      if (w->held || w->place >= w->record.n_instrs) {
         ok = advance(w);
         if (ok && w->record.sb == 0)
            ok = next_mark(w, e, &told);
         else
            ok = ok && may_count(w) && pass(w);
      } else {
         ok = next_instr(w, e, &told);
      }
   } while (ok && !told);
   if (!ok) {
      w->ended   = true;
      w->held    = false;
      forget_reads(w);
      w->record.n_instrs = 0;
      job_tell(&w->job, err);
   }
   return ok;
}
