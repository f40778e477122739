/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: what superblocks and instructions do that may matter, the places of
   instructions, and how often superblocks ran so far; functions that call back;
   executions of a line.  Handed: a trace and a query.

   Functions that call back are among the code whose control is not followed.
   The function qsort() calls another one, which calls the comparison.  Both
   depend on the values that the program returned.  So all functions with an
   activation between the program's call and the call back count as calling
   back.  */

#include "lib/base/sort.h"
#include "lib/slice/slice_code.h"
#include "lib/wet/wet_images.h"

#include <stdlib.h>
#include <string.h>

static void describe_instr(SliceCode* c, uint32_t i)
{
   const DcfgWet*   w = c->w;
   const Plan*      p = &w->plans[i];
   const WetAccess* a = accesses_of(c, i);
   InstrInfo*       info = &c->infos[i];

   wet_add_defs(w, i, info->defs);
   info->criterion = c->q->instrs[i];
   info->syscall   = p->kind == InsnSyscall;
   for (uint32_t k = 0; k < p->n_accesses; k++)
      info->stores |= (a[k].what & AccessStore) != 0;
}

static void describe_superblock(SliceCode* c, uint32_t id)
{
   const WetSb* from = &ELEM(c->w->sbs, WetSb, id);
   SbInfo*      sb = &c->sbs[id];

   *sb = (SbInfo){ .defs = { from->defs[0], from->defs[1] },
                   .first = from->instrs.first, .stores = from->stores.first,
                   .n_stores = from->stores.n, .x87 = from->moves_top };
   for (uint32_t k = 0; k < from->instrs.n; k++)
      sb->criterion |= c->q->instrs[c->w->places[sb->first + k].instr];
}

/* Find the places at which each instruction occurs. */
static bool find_occurrences(SliceCode* c)
{
   DcfgWet* w = c->w;
   uint32_t n = (uint32_t)w->instrs.n, sum = 0;

   c->occurs      = job_calloc(c->job, n + (size_t)2, sizeof(uint32_t));
   c->occurrences = job_calloc(c->job, w->sb_instrs.n + 1, sizeof(uint32_t));
   c->sb_of       = job_calloc(c->job, w->sb_instrs.n + 1, sizeof(uint32_t));
   if (c->occurs == NULL || c->occurrences == NULL || c->sb_of == NULL)
      return false;
   for (size_t k = 0; k < w->sb_instrs.n; k++)
      c->occurs[ELEM(w->sb_instrs, uint32_t, k) + 1]++;
   for (uint32_t i = 0; i <= n; i++) {
      uint32_t here = c->occurs[i];
      c->occurs[i] = sum += here;
   }
   for (uint32_t id = 1; id < w->sbs.n; id++) {
      const Span s = ELEM(w->sbs, WetSb, id).instrs;
      for (uint32_t k = s.first; k < s.first + s.n; k++) {
         uint32_t at = c->occurs[ELEM(w->sb_instrs, uint32_t, k)]++;
         c->occurrences[at] = k;
         c->sb_of[at]       = id;
      }
   }
   memmove(c->occurs + 1, c->occurs, (n + (size_t)1) * sizeof(uint32_t));
   c->occurs[0] = 0;
   return true;
}

COMPARE(by_instance, DcfgSlicePart, UP(instr) ?: UP(instance) ?: UP(place) ?: UP(size))

/* Sort the parts of the criterion. */
static bool sort_parts(SliceCode* c)
{
   const DcfgSliceQuery* q = c->q;

   c->parts = job_calloc(c->job, q->n_parts + (size_t)1, sizeof(*c->parts));
   if (c->parts == NULL)
      return false;
   if (q->n_parts > 0)
      memcpy(c->parts, q->parts, q->n_parts * sizeof(*c->parts));
   SORT(c->parts, q->n_parts, by_instance);
   return true;
}

const DcfgSlicePart* slice_code_part(const SliceCode* c, uint32_t instr,
                                     uint64_t instance)
{
   uint32_t low = 0;

   BISECT(low, c->q->n_parts, middle,
          c->parts[middle].instr < instr
          || (c->parts[middle].instr == instr
              && c->parts[middle].instance < instance));
   return c->parts + low;
}

bool slice_code_start(SliceCode* c, Job* job, DcfgWet* w,
                      const DcfgSliceQuery* q)
{
   *c = (SliceCode){ .job = job, .w = w, .q = q };
   c->sbs    = job_calloc(job, w->sbs.n, sizeof(SbInfo));
   c->runs   = job_calloc(job, w->sb_instrs.n + 1, sizeof(uint64_t));
   c->infos  = job_calloc(job, w->instrs.n + 1, sizeof(InstrInfo));
   if (c->sbs == NULL || c->runs == NULL || c->infos == NULL
       || !find_occurrences(c) || !sort_parts(c))
      return false;
   for (uint32_t i = 0; i < w->instrs.n; i++)
      describe_instr(c, i);
   for (uint32_t id = 1; id < w->sbs.n; id++)
      describe_superblock(c, id);
   return true;
}

void slice_code_free(SliceCode* c)
{
   free(c->sbs);
   free(c->runs);
   free(c->infos);
   free(c->occurs);
   free(c->occurrences);
   free(c->sb_of);
   free(c->parts);
   free(c->known);
}

void slice_code_count(const SliceCode* c, DcfgSliceTotal* totals)
{
   for (uint32_t id = 1; id < c->w->sbs.n; id++) {
      const Span s = ELEM(c->w->sbs, WetSb, id).instrs;
      uint64_t   n = 0;
      for (uint32_t k = s.first + s.n; k-- > s.first; ) {
         n += c->runs[k];
         totals[c->w->places[k].instr].executed += n;
      }
   }
}

/* Note which instructions, and superblocks, have several successors. */
static void note_branches(SliceCode* c)
{
   const WetIndex* ix = c->index;

   for (size_t k = 1; k < ix->n_arcs; k++) {
      uint32_t from = (uint32_t)(ix->arcs[k] >> 32) - 1;
      if (from < c->w->instrs.n && from + 1 == ix->arcs[k - 1] >> 32)
         c->infos[from].branch = true;
   }
   for (uint32_t id = 1; id < c->w->sbs.n; id++) {
      const Span s = ELEM(c->w->sbs, WetSb, id).instrs;
      for (uint32_t k = s.first; k < s.first + s.n; k++)
         c->sbs[id].branches |= c->infos[c->w->places[k].instr].branch;
   }
}

bool slice_code_at_end(SliceCode* c, WetIndex* ix)
{
   c->index = ix;
   note_branches(c);
   c->known = job_calloc(c->job, c->w->sb_instrs.n + 1, sizeof(uint32_t));
   return c->known != NULL && index_totals(ix, c->runs);
}

void slice_code_skip(SliceCode* c, uint32_t chunk)
{
   c->n_skips++;
   c->chunk = chunk;
}

void slice_code_chunks(const SliceCode* c, WetIndex* ix, uint32_t i,
                       uint64_t* counts)
{
   for (uint32_t k = c->occurs[i]; k < c->occurs[i + 1]; k++) {
      const WetSb* sb = &ELEM(c->w->sbs, WetSb, c->sb_of[k]);
      for (uint32_t place = c->occurrences[k];
           place < sb->instrs.first + sb->instrs.n; place++) {
         IndexRuns r = index_runs(ix, place);
         while (index_next_run(ix, &r))
            counts[r.chunk] += r.count;
      }
   }
}

void slice_code_find_runs(const SliceCode* c, uint32_t place)
{
   IndexRuns r = index_runs(c->index, place);
   uint64_t  n = 0;

   while (index_next_run(c->index, &r) && r.chunk <= c->chunk)
      n += r.count;
   c->runs[place]  = n;
   c->known[place] = c->n_skips;
}

uint64_t slice_code_instance(const SliceCode* c, const Spot* spot, uint32_t i)
{
   uint64_t n = c->w->instances[i];     // in a ring: before the trace begins

   for (uint32_t k = c->occurs[i]; k < c->occurs[i + 1]; k++) {
      uint32_t place = c->occurrences[k], first = place;
      /* Records that ended at this place or behind it executed the
         instruction. */
      for (const WetSb* sb = &ELEM(c->w->sbs, WetSb, c->sb_of[k]);
           place < sb->instrs.first + sb->instrs.n; place++)
         n += slice_code_runs(c, place);
      /* The present record has executed this place already, or is at it. */
      if (c->sb_of[k] == spot->step->sb) {
         uint32_t at = first - c->sbs[spot->step->sb].first;
         n -= at >= spot->place && at < spot->step->n_instrs;
      }
   }
   return n;
}

/* The rule is find_addresses() of wet_writers.c. */
uint64_t slice_code_address(const SliceCode* c, const Spot* spot,
                            uint32_t access)
{
   const InstrPlan*     at = spot->at;
   const WetSb*     sb = &ELEM(c->w->sbs, WetSb, spot->step->sb);
   const WetAccess* a = accesses_of(c, at->instr);
   const WetAccess* slots = &ELEM(c->w->accesses, WetAccess,
                                  sb->slots.first + at->slot);
   uint32_t         n, k = 0;
   const uint64_t*  made = slots_of(spot->steps, spot->step, at, &n);
   uint64_t         addr = 0;

   if (at->plain && n == plan_of(c, at->instr)->n_accesses)
      return made[access];
   for (uint32_t j = 0; j <= access; j++) {
      addr = 0;
      if (k < n && is_slot_of(&slots[k], &a[j]))
         addr = made[k++];
      else if (a[j].same > 0)
         addr = slice_code_address(c, spot, a[j].same - 1u);
   }
   return addr;
}

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

void executions_start(Executions* x, const SliceCode* code)
{
   *x = (Executions){ .code = code, .end = UINT64_MAX };
}

void executions_free(Executions* x)
{
   if (x->code != NULL)
      array_free(x->code->job, &x->all, sizeof(Executed));
}

bool line_leaves(const SliceCode* c, uint32_t i)
{
   switch (plan_of(c, i)->kind) {
      case InsnCond:
      case InsnJump:
      case InsnIndirectJump:
      case InsnReturn:
         return true;
      default:
         return false;
   }
}

bool line_goes_back(const SliceCode* c, uint32_t from, uint32_t to)
{
   if (from == to)
      return plan_of(c, to)->kind != InsnRep;
   return ELEM(c->w->instrs, WetInstr, to).addr
          < ELEM(c->w->instrs, WetInstr, from).addr;
}

bool executions_note(Executions* x, LineState* s, uint32_t i, uint64_t order)
{
   const SliceCode* c = x->code;
   uint32_t         last = s->last - 1;
   Executed*        e;

   if (!c->q->instrs[i]) {
      if (s->last != 0 && (line_leaves(c, last) || line_leaves(c, i)))
         s->last = 0;
      return true;
   }
   if (x->begins != NULL ? x->begins[i]
                         : s->last == 0 || line_goes_back(c, last, i)) {
      s->number = x->n++;
      s->wanted = s->number == c->q->instance;
   }
   if (s->wanted)
      x->end = order;
   s->last = i + 1;
   if (c->q->instance != DCFG_SLICE_EVERY)
      return true;
   e = array_add(c->job, &x->all, sizeof(*e));
   if (e != NULL)
      *e = (Executed){ order, s->number };
   return e != NULL;
}

uint64_t executions_of(const Executions* x, uint64_t order)
{
   uint32_t low = 0;

   BISECT(low, (uint32_t)x->all.n, middle,
          ELEM(x->all, Executed, middle).order < order);
   return low < x->all.n ? ELEM(x->all, Executed, low).number : 0;
}

bool executions_began(const SliceCode* c, LineBack* b, uint32_t i)
{
   bool own = c->q->instrs[i];

   if (own ? (b->between && line_leaves(c, i)) || line_goes_back(c, i, b->next)
           : line_leaves(c, i))
      return true;
   b->between = !own;
   if (own)
      b->next = i;
   return false;
}
