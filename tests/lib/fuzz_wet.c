/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Fuzz target: whole execution traces. */

/* The bytes are read as a whole execution trace, with and without control
   dependences.  libFuzzer calls it, or replay.c. */

#include "dcfg_wet.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/* Results go here, so that the compiler leaves out no call. */
static volatile uint64_t answers;

/* Ask for descriptions of instructions, too. */
static void ask(DcfgWet* w)
{
   for (uint32_t i = 0; i < dcfg_wet_instrs(w); i++) {
      const DcfgWetInstr* in = dcfg_wet_instr(w, i);
      answers += in->function == NULL ? 0 : strlen(in->function);
      answers += in->source == NULL ? 0 : strlen(in->source);
      answers += in->image_name == NULL ? 0 : strlen(in->image_name);
      for (uint32_t k = 0; k < in->size; k++)
         answers += in->code[k];
      for (uint32_t k = 0; k < in->n_accesses; k++)
         answers += in->accesses[k].size + in->accesses[k].same;
      for (uint32_t k = 0; k < in->n_uses; k++)
         answers += in->uses[k].reg;
      for (uint32_t k = 0; k < in->n_defines; k++)
         answers += in->defines[k].reg;
   }
   for (uint32_t i = 0; i < dcfg_wet_threads(w); i++)
      answers += dcfg_wet_executed(w, i);
}

/* Check that each dependence names an earlier instance. */
static void see(const DcfgWetEvent* e, uint64_t* seen, uint32_t n_instrs)
{
   if (e->kind != DCFG_WET_INSTR)
      return;
   if (e->instr >= n_instrs || e->instance != seen[e->instr])
      abort();
   for (uint32_t i = 0; i < e->n_ports; i++)
      for (uint32_t k = 0; k < e->ports[i].n; k++) {
         const DcfgWetDep* d = &e->deps[e->ports[i].first + k];
         if (d->instr >= n_instrs || d->instance >= seen[d->instr])
            abort();
      }
   for (uint32_t i = 0; i < e->n_accesses; i++)
      answers += e->accesses[i];
   answers += e->taken;
   seen[e->instr]++;
}

/* Reading: which parts of a trace to read, and the results. */
typedef
   struct {
      bool     control, selected;       // .selected: only some instructions
      bool     ended;           // the whole file was read without an error
      uint64_t sum;             // over instances of those instructions
   }
   Reading;

static bool is_selected(uint32_t instr)
{
   return instr % 4 == 1;
}

static void add(uint64_t* sum, uint64_t n)
{
   *sum = (*sum ^ n) * UINT64_C(0x9E3779B97F4A7C15) + 1;
}

static void sum_up(const DcfgWetEvent* e, uint64_t* sum)
{
   add(sum, e->instr);
   add(sum, e->instance);
   add(sum, e->time);
   for (uint32_t i = 0; i < e->n_ports; i++) {
      add(sum, e->ports[i].kind);
      for (uint32_t k = 0; k < e->ports[i].n; k++) {
         add(sum, e->deps[e->ports[i].first + k].instr);
         add(sum, e->deps[e->ports[i].first + k].instance);
      }
   }
}

/* The most events to read: a few bytes may predict a great many. */
#define MOST_EVENTS 100000

/* Take an event.  If nothing is left out, each instance is its instruction's
   next one. */
static void take(const DcfgWetEvent* e, Reading* r, uint64_t* seen,
                 uint32_t n_instrs)
{
   if (!r->selected)
      see(e, seen, n_instrs);
   if (e->kind != DCFG_WET_INSTR)
      return;
   if (r->selected && !is_selected(e->instr))
      abort();
   if (is_selected(e->instr))
      sum_up(e, &r->sum);
}

static bool select_some(const DcfgWet* w, DcfgWetEvents* v, DcfgError* err)
{
   uint32_t      n = dcfg_wet_instrs(w);
   bool*         instrs = calloc(n + (size_t)1, sizeof(bool));
   DcfgWetFilter f = { instrs, DCFG_NONE, 0, UINT64_MAX };
   bool          ok;

   for (uint32_t i = 0; i < n; i++)
      instrs[i] = is_selected(i);
   ok = dcfg_wet_select(v, &f, err);
   free(instrs);
   return ok;
}

static void read_trace(const uint8_t* data, size_t size, Reading* r)
{
   DcfgOptions  options = { .max_memory = 256u << 20 };
   DcfgError    err;
   DcfgWetEvent e;
   DcfgWet*     w = dcfg_wet_open_memory(data, size, "fuzz", &options, &err);
   DcfgWetEvents* v = w == NULL ? NULL : dcfg_wet_events_new(w, &err);
   uint64_t*    seen;
   uint64_t     n = 0;

   if (v == NULL) {
      if (err.status == DCFG_OK)
         abort();
      dcfg_wet_close(w);
      return;
   }
   ask(w);
   seen = calloc(dcfg_wet_instrs(w) + (size_t)1, sizeof(*seen));
   if ((!r->control || dcfg_wet_find_control(v, &err))
       && (!r->selected || select_some(w, v, &err))) {
      while (n++ < MOST_EVENTS && dcfg_wet_next(v, &e, &err))
         take(&e, r, seen, dcfg_wet_instrs(w));
      r->ended = n <= MOST_EVENTS && err.status == DCFG_OK;
      /* After the end there are no more events. */
      if (n <= MOST_EVENTS && dcfg_wet_next(v, &e, &err))
         abort();
   }
   free(seen);
   dcfg_wet_events_free(v);
   dcfg_wet_close(w);
}

/* Selecting some instructions must not change their events. */
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
   Reading all = { 0 }, some = { .selected = true };

   read_trace(data, size, &all);
   if (!all.ended)
      return 0;
   read_trace(data, size, &some);
   if (some.ended && some.sum != all.sum)
      abort();
   all  = (Reading){ .control = true };
   some = (Reading){ .control = true, .selected = true };
   read_trace(data, size, &all);
   read_trace(data, size, &some);
   if (all.ended && some.ended && some.sum != all.sum)
      abort();
   return 0;
}
