/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The events of a whole execution trace. */

/* Owns: the events of a whole execution trace, in order.  Handed: records by
   wet_tape.c, writers by wet_writers.c, control by wet_control.c.

   The tape has what the kernel read for a system call behind the call, but it
   is part of that event: so these marks are read ahead. */

#include "lib/wet/wet_control.h"
#include "lib/wet/wet_effects.h"
#include "lib/wet/wet_names.h"
#include "lib/wet/wet_state.h"
#include "lib/wet/wet_taken.h"
#include "lib/wet/wet_writers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Reading: memory that the kernel read. */
typedef
   struct {
      uint64_t addr, size;
   }
   Reading;

/*--- Begin and end                                        ---*/

static bool start(DcfgWetEvents* v)
{
   const DcfgWet* w = v->w;
   size_t         n = w->instrs.n;

   v->kept      = job_calloc(v->job, MAX_ACCESSES, sizeof(uint64_t));
   v->value     = job_calloc(v->job, MAX_ACCESSES, sizeof(uint64_t));
   v->instances = job_calloc(v->job, n + 1, sizeof(uint64_t));
   v->way_taken = job_calloc(v->job, w->n_ways + 1, 1);
   if (v->kept == NULL || v->value == NULL || v->instances == NULL
       || v->way_taken == NULL)
      return false;
   memcpy(v->instances, w->instances, n * sizeof(*v->instances));
   return wet_start_writers(v) && wet_start_effects(v);
}

DcfgWetEvents* dcfg_wet_events_new(DcfgWet* w, DcfgError* err)
{
   WetCursor*     c = wet_cursor_new(w, err);
   DcfgWetEvents* v = c == NULL ? NULL : job_calloc(&c->job, 1, sizeof(*v));
   bool           ok;

   if (v == NULL) {
      if (c != NULL)
         job_tell(&c->job, err);
      wet_cursor_free(c);
      return NULL;
   }
   *v = (DcfgWetEvents){ .w = w, .c = c, .job = &c->job,
                         .told_thread = DCFG_NONE, .told_to = UINT64_MAX };
   ok = start(v);
   job_tell(v->job, err);
   if (ok)
      return v;
   dcfg_wet_events_free(v);
   return NULL;
}

void dcfg_wet_events_free(DcfgWetEvents* v)
{
   if (v == NULL)
      return;
   wet_free_control(v);
   wet_free_writers(v);
   wet_free_effects(v);
   wet_free_steps(v->job, &v->steps);
   free(v->told_instrs);
   free(v->way_skipped);
   free(v->kept);
   free(v->value);
   free(v->way_taken);
   free(v->instances);
   free(v->points_of);
   free(v->is_point);
   array_free(v->job, &v->points, sizeof(Point));
   array_free(v->job, &v->reads, sizeof(Reading));
   array_free(v->job, &v->mark.registers, sizeof(DcfgWetRegister));
   array_free(v->job, &v->mark.name, 1);
   wet_cursor_free(v->c);
   free(v);
}

bool dcfg_wet_select(DcfgWetEvents* v, const DcfgWetFilter* f, DcfgError* err)
{
   const DcfgWet* w = v->w;
   size_t n  = w->instrs.n;
   bool   ok = !v->begun && v->told_instrs == NULL;

   if (!ok)
      job_fail(v->job, DCFG_ERROR_ARGUMENT, NULL,
               "it was not said at the begin what is wanted");
   if (ok && f->instrs != NULL) {
      v->told_instrs = job_calloc(v->job, n + 1, sizeof(bool));
      ok = v->told_instrs != NULL;
      if (ok && n > 0)
         memcpy(v->told_instrs, f->instrs, n * sizeof(bool));
   }
   v->told_thread = f->thread;
   v->told_from   = f->from;
   v->told_to     = f->to;
   if (ok && f->instrs != NULL) {
      v->way_skipped = job_calloc(v->job, w->n_ways + 1, sizeof(bool));
      ok = v->way_skipped != NULL;
   }
   for (uint32_t i = 0; ok && v->way_skipped != NULL && i < w->n_ways; i++) {
      const WetWay*    way = &w->ways[i];
      const WetSb*     sb = &ELEM(w->sbs, WetSb, way->sb);
      const InstrPlan* at = &w->places[sb->instrs.first];
      v->way_skipped[i] = true;
      for (uint32_t k = 0; k < way->n_instrs; k++)
         v->way_skipped[i] &= !v->told_instrs[at[k].instr];
   }
   job_tell(v->job, err);
   return ok;
}

bool dcfg_wet_find_control(DcfgWetEvents* v, DcfgError* err)
{
   WetCursor* c  = NULL;
   bool       ok = false;

   if (v->begun || v->control != NULL)
      job_fail(v->job, DCFG_ERROR_ARGUMENT, NULL,
               "control was not asked for at the begin");
   else if (!wet_can_reread(v->w))
      job_fail(v->job, DCFG_ERROR_FILE, NULL,
               "control dependences need a file that can be read twice, not "
               "a pipe: write the trace to a file first");
   else
      c = wet_cursor_new(v->w, &v->job->err);
   if (c != NULL)
      ok = wet_make_graph(v, c);
   wet_cursor_free(c);
   job_tell(v->job, err);
   return ok;
}

/*--- Records                                              ---*/

/* Take the next record to .record. */
static inline bool advance(DcfgWetEvents* v)
{
   v->place = 0;
   if (v->held) {
      v->held = false;
      return true;
   }
   if (v->next_step == v->steps.n_steps) {
      v->next_step = 0;
      if (v->ended || !wet_next_block(v->c, SLOTS_OF_ALL, &v->steps)) {
         v->steps.n_steps = 0;
         v->ended  = true;
         v->record = (WetStep){ 0 };
         return false;
      }
   }
   v->record = v->steps.steps[v->next_step++];
   v->addrs  = v->steps.addrs + v->record.first;
   return true;
}

/* Keep the accesses of E while the next record is read: with a block they are
   gone. */
static void keep_accesses(DcfgWetEvents* v, DcfgWetEvent* e)
{
   if (e->n_accesses == 0)
      return;
   memcpy(v->kept, e->accesses, e->n_accesses * sizeof(*v->kept));
   e->accesses = v->kept;
}

/* Read ahead what the kernel read for E, a system call. */
static bool read_ahead(DcfgWetEvents* v, DcfgWetEvent* e)
{
   keep_accesses(v, e);
   while (advance(v)) {
      if (v->record.sb != 0 || v->record.mark != DCFG_WET_READ
          || v->record.thread != e->thread) {
         v->held = true;
         break;
      }
      Reading* r = array_add(v->job, &v->reads, sizeof(*r));
      if (r == NULL || !wet_add_read(v, v->addrs[0], v->addrs[1], e))
         return false;
      *r = (Reading){ v->addrs[0], v->addrs[1] };
   }
   return true;
}

/* Return whether the user wants to be told of the instruction at AT now. */
static inline bool is_told(const DcfgWetEvents* v, const InstrPlan* at)
{
   return (v->told_instrs == NULL || v->told_instrs[at->instr])
          && (v->told_thread == DCFG_NONE || v->record.thread == v->told_thread)
          && v->time >= v->told_from && v->time <= v->told_to;
}

/* Set E->taken.  The next record is read ahead only if nothing else tells where
   a branch went. */
static inline void find_taken(DcfgWetEvents* v, const InstrPlan* at, DcfgWetEvent* e)
{
   const DcfgWet* w = v->w;
   uint8_t kind = w->plans[at->instr].kind;
   WetStep branch;

   e->taken = kind >= InsnJump && kind <= InsnReturn ? DCFG_WET_TAKEN
                                                     : DCFG_WET_NOT_TAKEN;
   if (kind != InsnCond || wet_find_taken(v, at, &e->taken))
      return;
   branch = v->record;
   keep_accesses(v, e);
   v->held  = advance(v);
   e->taken = wet_taken_to(v, at, &branch, v->held ? &v->record : NULL);
}

/* Give E the value that the instruction computed. */
static void find_value(DcfgWetEvents* v, const InstrPlan* at, DcfgWetEvent* e)
{
   const DcfgWet* w = v->w;
   const WetSb*     sb    = &ELEM(w->sbs, WetSb, v->record.sb);
   uint32_t         first = wet_value_slot(at);
   const WetAccess* part  = &ELEM(w->accesses, WetAccess,
                                  sb->slots.first + first);

   if (v->record.n_slots < first + at->n_values)
      return;
   for (uint32_t i = 0; i < at->n_values; i++)
      for (unsigned k = 0; k < part[i].size; k++)
         v->value[e->value_size++] = (uint8_t)(v->addrs[first + i] >> 8 * k);
   e->has_value = true;
   e->value     = v->value;
}

/* Go on to the next instruction of the record; fill in E if *TOLD. */
static inline bool next_instr(DcfgWetEvents* v, DcfgWetEvent* e, bool* told)
{
   const DcfgWet* w = v->w;
   const WetSb* sb = &ELEM(w->sbs, WetSb, v->record.sb);
   const InstrPlan* at = &w->places[sb->instrs.first + v->place];
   const Plan*  plan = &w->plans[at->instr];
   Writer       control = 0;

   *told       = is_told(v, at);
   e->kind     = DCFG_WET_INSTR;
   e->instr    = at->instr;
   e->addr     = plan->addr;
   e->image    = plan->image;
   e->size     = 0;
   e->thread   = v->record.thread;
   e->instance = v->instances[at->instr]++;
   e->time     = v->time++;
   wet_find_accesses(v, at, e);
   e->has_value  = false;
   e->value_size = 0;
   if (at->n_values > 0)
      find_value(v, at, e);
   if (v->control != NULL) {
      if (v->place > 0 && !v->is_point[at - w->places])
         control = wet_same_control(v, v->record.thread);
      else if (!wet_find_control(v, e, at->stack ? wet_stack_pointer(v, at)
                                                 : 0, &control))
         return false;
   }
   v->place++;
   if (!wet_find_writers(v, at, control, e))
      return false;
   if (*told)
      find_taken(v, at, e);
   /* A system call ends its superblock, unless the file is broken. */
   if (*told && plan->kind == InsnSyscall && v->place >= v->record.n_instrs
       && !read_ahead(v, e))
      return false;
   if (v->namer != NULL && plan->kind == InsnSyscall)
      wet_name_syscall(v, at, e);
   return true;
}

/* Return whether all numbers of instances fit into INSTANCE_BITS bits. */
static bool fits(DcfgWetEvents* v)
{
   const DcfgWet* w = v->w;
   const WetSb* sb = &ELEM(w->sbs, WetSb, v->record.sb);
   const InstrPlan* at = &w->places[sb->instrs.first];

   for (const InstrPlan* end = at + v->record.n_instrs; at < end; at++)
      if ((v->instances[at->instr] + at->nth) >> INSTANCE_BITS != 0)
         return job_fail(v->job, DCFG_ERROR_LIMIT, "tape",
                         "the instruction at 0x%" PRIx64 " was executed more "
                         "than 2^%d times", w->plans[at->instr].addr,
                         INSTANCE_BITS);
   return true;
}

/* Return whether no number of the record's instructions overflows at this
   record. */
static inline bool may_count(DcfgWetEvents* v)
{
   const DcfgWet* w = v->w;

   return add_capped(v->time, w->most_before) >> INSTANCE_BITS == 0
          || fits(v);
}

/* Return whether nothing of the record will be told, or only what has a
   name. */
static inline bool is_skipped(const DcfgWetEvents* v)
{
   return v->namer != NULL
          || (v->record.way != DCFG_NONE && v->way_skipped != NULL
              && v->way_skipped[v->record.way])
          || (v->told_thread != DCFG_NONE && v->record.thread != v->told_thread)
          || v->time > v->told_to
          || v->time + v->record.n_instrs <= v->told_from;
}

/* Pass the whole record at once, if nothing of it is told and it has an
   Effect. */
static inline bool pass(DcfgWetEvents* v)
{
   uint32_t n;

   if (!is_skipped(v))
      return true;
   if (!wet_pass_record(v, &n))
      return false;
   v->place = n;
   v->time += n;
   return true;
}

/*--- Marks                                                ---*/

static bool wrong(DcfgWetEvents* v)
{
   return job_fail(v->job, DCFG_ERROR_FORMAT, "tape",
                   "what was recorded makes no sense");
}

static bool read_mapping(DcfgWetEvents* v, Bytes* b)
{
   WetMark* m = &v->mark;

   m->mapping.addr = v->addrs[0];
   m->mapping.size = v->addrs[1];
   array_cut(&m->name, 0);
   return wet_get_mapping(v->job, b, &m->mapping, &m->name)
          && (!b->failed || wrong(v));
}

static bool read_registers(DcfgWetEvents* v, Bytes* b)
{
   array_cut(&v->mark.registers, 0);
   return wet_get_registers(v->job, v->w, b, &v->mark.registers)
          && (!b->failed || wrong(v));
}

/* Read the bytes B of the present record, a mark, to .mark.  Return false, with an
   error, if the mark makes no sense. */
static bool read_mark(DcfgWetEvents* v, Bytes* b)
{
   const uint64_t* words = v->addrs;

   switch (v->record.mark) {
      case MarkContents:
         return words[1] <= UINT64_MAX - words[0] || wrong(v);
      case MarkMapped:
         return read_mapping(v, b);
      case MarkRegisters:
         return read_registers(v, b);
      case MarkIdentity:
      case MarkEnded:
         return words[0] < v->w->threads.n || wrong(v);
      default:
         return true;
   }
}

/* Set the members of E that its mark, the present record, has beside words. */
static bool tell_mark(DcfgWetEvents* v, DcfgWetEvent* e)
{
   const uint64_t* words = v->addrs;
   Bytes           b = { NULL, NULL, false };

   if (words[MARK_N_BYTES] > 0) {
      b.at  = v->steps.bytes + words[MARK_BYTES_AT];
      b.end = b.at + words[MARK_N_BYTES];
   }
   e->bytes = b.at;
   if (!read_mark(v, &b))
      return false;
   e->result      = difference_of(words[0]);
   e->signal      = (uint32_t)words[0];
   e->tid         = words[1];
   e->mapping     = &v->mark.mapping;
   e->registers   = v->mark.registers.data;
   e->n_registers = (uint32_t)v->mark.registers.n;
   return true;
}

/* Handle a mark.  *TOLD: the user wants to be told of it. */
static bool next_mark(DcfgWetEvents* v, DcfgWetEvent* e, bool* told)
{
   *told = v->record.mark != MarkTop;
   if (!*told)
      return wet_note_top(v);
   wet_take_mark(v, e);
   return wet_note_mark(v, e) && tell_mark(v, e)
          && (v->control == NULL || wet_control_mark(v, e));
}

/*--- Events                                               ---*/

/* Forget readings that were told or never will be. */
static void forget_reads(DcfgWetEvents* v)
{
   array_cut(&v->reads, 0);
   v->n_told = 0;
}

bool dcfg_wet_next(DcfgWetEvents* v, DcfgWetEvent* e, DcfgError* err)
{
   bool ok, told = false;

   v->begun = true;
   if (v->n_told < v->reads.n) {
      Reading r = ELEM(v->reads, Reading, v->n_told);
      e->kind = DCFG_WET_READ;
      e->addr = r.addr;
      e->size = r.size;
      if (++v->n_told == v->reads.n)
         forget_reads(v);
      return true;
   }
   do {
      if (v->held || v->place >= v->record.n_instrs) {
         ok = advance(v);
         if (ok && v->record.sb == 0)
            ok = next_mark(v, e, &told);
         else
            ok = ok && may_count(v) && pass(v);
      } else {
         ok = next_instr(v, e, &told);
      }
   } while (ok && !told);
   if (!ok) {
      v->ended   = true;
      v->held    = false;
      forget_reads(v);
      v->record.n_instrs = 0;
      job_tell(v->job, err);
   }
   return ok;
}
