/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Activations of a whole execution trace. */

/* Owns: the activation of each record, chunk by chunk, in either direction.
   Handed: parts by slice_passes.c.

   The rules are those of wet_control.c.  Here an activation outlives the pass:
   each has a reference to its caller, so a snapshot of all threads at the begin
   of a chunk is small.  A chunk that is read again makes its activations anew.
   Those still active at its end are then matched with the next chunk's
   snapshot. */

#include "lib/slice/slice_acts.h"
#include "lib/wet/wet_graph.h"

#include <string.h>

/*--- Activations                                          ---*/

static uint32_t new_act(Acts* all, uint64_t place, uint32_t call, uint32_t up)
{
   uint32_t id = all->free_act;
   Act*     a;

   if (id != 0) {
      all->free_act = act_of(all, id)->up;
   } else {
      id = (uint32_t)all->acts.n;
      if (array_add(all->job, &all->acts, sizeof(Act)) == NULL)
         return 0;
   }
   a  = act_of(all, id);
   *a = (Act){ .place = place, .up = up, .refs = 1, .last = DCFG_NONE,
               .call = call };
   if (all->again) {
      uint32_t* made = array_add(all->job, &all->made, sizeof(*made));
      if (made == NULL)
         return 0;
      *made = id;
   }
   return id;
}

static void free_act(Acts* all, uint32_t id)
{
   act_of(all, id)->up = all->free_act;
   all->free_act    = id;
}

static void release(Acts* all, uint32_t id)
{
   while (id != 0 && --act_of(all, id)->refs == 0) {
      uint32_t up = act_of(all, id)->up;
      free_act(all, id);
      id = up;
   }
}

/* Leave the thread's top activation. */
static void pop(Acts* all, ThreadActs* t)
{
   uint32_t id = t->act;

   t->act = act_of(all, id)->up;
   if (all->again)
      return;
   act_of(all, t->act)->refs++;
   release(all, id);
}

static bool push(Acts* all, ThreadActs* t, uint64_t place, uint32_t call)
{
   uint32_t id = new_act(all, place, call, t->act);

   if (id == 0)
      return false;
   t->act = id;
   return true;
}

static ThreadActs* thread_of(Acts* all, uint32_t thread)
{
   ThreadActs* t;

   if (thread >= all->code->w->threads.n) {
      job_fail(all->job, DCFG_ERROR_FORMAT, "tape", "there is no thread %u",
               thread);
      return NULL;
   }
   t = &all->now[thread];
   if (t->act == DCFG_NONE
       && (t->act = new_act(all, UINT64_MAX, DCFG_NONE, 0)) == 0)
      return NULL;
   return t;
}

/*--- Steps                                                ---*/

/* Note that instruction I was the last of its activation, or a call that never
   returned. */
static bool ends(Acts* all, uint32_t i)
{
   return all->again || i == DCFG_NONE
          || wet_graph_arc(all->graph, i, GRAPH_EXIT(all->graph));
}

static bool drop(Acts* all, ThreadActs* t)
{
   if (!ends(all, act_of(all, t->act)->last))
      return false;
   pop(all, t);
   return true;
}

static inline bool is_first(const Acts* all, const ThreadActs* t)
{
   return act_of(all, t->act)->up == 0;
}

static bool unwind(Acts* all, ThreadActs* t, uint64_t place)
{
   while (act_of(all, t->act)->place < place && !is_first(all, t)) {
      Act a = *act_of(all, t->act);
      if (a.handler && t->interrupted.n > 0)
         array_pop(&t->interrupted);
      if (!drop(all, t) || (a.call != DCFG_NONE && !ends(all, a.call)))
         return false;
   }
   return true;
}

/* Leave an activation of thread T with return address PLACE, and note that in
   P.  Members of P that do not hold for the step are zero. */
static bool leave(Acts* all, ThreadActs* t, uint64_t place, StepPlace* p)
{
   Act a = *act_of(all, t->act);

   if (a.place == place && a.up != 0)
      return drop(all, t);
   if (a.handler || a.up == 0) {
      /* The bottom activation returned: a new one stands for its caller. */
      if (!ends(all, a.last))
         return false;
      uint32_t id = new_act(all, a.place, DCFG_NONE, a.up);
      if (id == 0)
         return false;
      act_of(all, id)->handler = a.handler;
      if (!all->again) {
         if (a.up != 0)
            act_of(all, a.up)->refs++;
         release(all, t->act);
      }
      t->act  = id;
      p->made = id;
   }
   return true;
}

static uint64_t last_access(const Acts* all, const WetStep* r,
                            const InstrPlan* at, uint8_t what)
{
   const Plan*      plan = plan_of(all->code, at->instr);
   const WetAccess* a = accesses_of(all->code, at->instr);
   uint32_t         n;
   const uint64_t*  addrs = slots_of(all->steps, r, at, &n);

   for (uint32_t j = n < plan->n_accesses ? n : plan->n_accesses; j-- > 0; )
      if (a[j].what & what)
         return addrs[j];
   return 0;
}

/* Note the arcs between instructions of record R, those inside a superblock
   only once. */
static bool note_arcs(Acts* all, const WetStep* r, const InstrPlan* at,
                      ThreadActs* t)
{
   Act* a = act_of(all, t->act);

   if ((a->last != DCFG_NONE
        && !wet_graph_arc(all->graph, a->last, at->instr))
       || !wet_graph_within(all->graph, r->sb, r->n_instrs - 1u))
      return false;
   a->last = at[r->n_instrs - 2].instr;
   return true;
}

static bool arrive(Acts* all, ThreadActs* t, uint32_t i)
{
   Act*     a = act_of(all, t->act);
   uint32_t last = a->last;

   a->last = i;
   if (!all->again && all->executions != NULL)
      executions_note(all->executions, &a->line, i, all->n_ran - 1);
   return all->again || last == DCFG_NONE
          || wet_graph_arc(all->graph, last, i);
}

static void move_top(Acts* all, const WetStep* r, const InstrPlan* at,
                     ThreadActs* t)
{
   for (uint32_t k = 0; k < r->n_instrs; k++)
      t->top = wet_move_top(t->top, &all->code->w->plans[at[k].instr], &at[k],
                            r->n_slots, all->steps->addrs + r->first);
}

/* Return the stack pointer behind LAST, a transfer of the record, or 0. */
static uint64_t stack_pointer(const Acts* all, const WetStep* r,
                              const InstrPlan* last)
{
   uint32_t slot = wet_value_slot(last) + last->n_values;

   return last->stack && slot < r->n_slots ? all->steps->addrs[r->first + slot]
                                           : 0;
}

/* Follow a transfer on a processor where calls leave the return address in a
   register. */
static bool transfer_linked(Acts* all, const InstrPlan* last, uint64_t sp,
                            ThreadActs* t, StepPlace* p)
{
   const Plan* plan = &all->code->w->plans[last->instr];
   bool call = plan->kind == InsnCall || plan->kind == InsnIndirectCall;

   if (call && !unwind(all, t, sp))
      return false;
   p->last = t->act;
   if (!arrive(all, t, last->instr))
      return false;
   if (plan->kind == InsnReturn)
      return unwind(all, t, sp) && leave(all, t, sp, p);
   if (!call)
      return sp == 0 || (act_of(all, t->act)->place >= sp && !plan->goes_back)
             || unwind(all, t, sp + 1);
   if (sp != 0) {
      if (!push(all, t, sp, last->instr))
         return false;
      p->made = t->act;
   }
   return true;
}

static bool transfer(Acts* all, const WetStep* r, const InstrPlan* last,
                     uint8_t kind, ThreadActs* t, StepPlace* p)
{
   uint64_t place = 0;

   if (all->code->w->machine->links)
      return transfer_linked(all, last, stack_pointer(all, r, last), t, p);
   if (kind == InsnCall || kind == InsnIndirectCall) {
      place = last_access(all, r, last, AccessStore);
      if (!unwind(all, t, place == 0 ? 0 : place + 1))
         return false;
   } else if (kind == InsnReturn) {
      place = last_access(all, r, last, AccessLoad);
      if (!unwind(all, t, place))
         return false;
   }
   p->last = t->act;
   if (!arrive(all, t, last->instr))
      return false;
   if (kind == InsnReturn)
      return leave(all, t, place, p);
   if (kind == InsnIndirectJump)
      return unwind(all, t, stack_pointer(all, r, last));
   if (place != 0) {
      if (!push(all, t, place, last->instr))
         return false;
      p->made = t->act;
   }
   return true;
}

/* Note the record's instructions but the last one, which arrive() notes. */
static void note_executions(Acts* all, const WetStep* r, const InstrPlan* at,
                            const SbInfo* sb, LineState* line)
{
   if (!sb->criterion && line->last == 0)
      return;
   for (uint32_t k = 0; k + 1 < r->n_instrs; k++)
      executions_note(all->executions, line, at[k].instr,
                      all->n_ran - r->n_instrs + k);
}

/* Note that an activation begins with instruction FIRST. */
static void note_callback(Acts* all, uint32_t act, uint32_t first)
{
   while (act != 0
          && callbacks_note(all->callbacks, first, act_of(all, act)->call))
      act = act_of(all, act)->up;
}

static bool run_step(Acts* all, const WetStep* r, StepPlace* p)
{
   const SbInfo* sb = &all->code->sbs[r->sb];
   const InstrPlan*  at = &all->code->w->places[sb->first];
   const InstrPlan*  last;
   uint8_t       kind;
   ThreadActs*   t = thread_of(all, r->thread);

   if (t == NULL)
      return false;
   t->entering = false;
   *p = (StepPlace){ .step = p->step, .body = t->act, .last = t->act,
                     .act = t->act, .top = t->top };
   if (r->n_instrs == 0) {
      act_of(all, t->act)->last = all->code->w->ways[r->way].last;
      return true;
   }
   all->n_ran += r->n_instrs;
   last = at + r->n_instrs - 1;
   kind = all->code->kinds[sb->first + r->n_instrs - 1];
   if (sb->x87)
      move_top(all, r, at, t);
   if (!all->again && all->callbacks->calls != NULL
       && act_of(all, t->act)->last == DCFG_NONE)
      note_callback(all, t->act, at->instr);
   if (!all->again && all->executions != NULL)
      note_executions(all, r, at, sb, &act_of(all, t->act)->line);
   if (!all->again && last > at && !note_arcs(all, r, at, t))
      return false;
   if (!is_transfer(kind))
      return all->again || arrive(all, t, last->instr);
   return transfer(all, r, last, kind, t, p);
}

static bool run_handler(Acts* all, ThreadActs* t, StepPlace* p)
{
   Interrupted* i = array_add(all->job, &t->interrupted, sizeof(*i));

   if (all->again && all->n_handlers >= all->returned.n)
      return job_fail(all->job, DCFG_ERROR_FORMAT, "tape",
                      "it has more handlers than before");
   if (i == NULL || !push(all, t, 0, DCFG_NONE))
      return false;
   *i = (Interrupted){ all->n_handlers, (uint8_t)t->top };
   act_of(all, t->act)->handler = true;
   t->entering = true;
   p->body     = all->n_handlers++;
   if (!all->again && array_add(all->job, &all->returned, sizeof(bool)) == NULL)
      return false;
   if (!push(all, t, UINT64_MAX, DCFG_NONE))
      return false;
   p->made = t->act;
   return true;
}

static bool run_return(Acts* all, ThreadActs* t)
{
   uint32_t act = t->act;

   if (t->interrupted.n > 0) {
      const Interrupted* i = &ELEM(t->interrupted, Interrupted,
                                   array_pop(&t->interrupted));
      t->top = i->top;
      ELEM(all->returned, bool, i->number) = true;
   } else {
      t->top = 0;
   }
   while (act != 0 && !act_of(all, act)->handler)
      act = act_of(all, act)->up;
   /* There is no handler's activation, or it is the bottom one, which stays. */
   if (act == 0 || act_of(all, act)->up == 0)
      return true;
   for (bool last = false; !last; ) {
      last = t->act == act;
      if (!drop(all, t))
         return false;
   }
   return true;
}

static bool run_mark(Acts* all, const WetStep* r, StepPlace* p)
{
   ThreadActs*     t = thread_of(all, r->thread);
   const uint64_t* words = all->steps->addrs + r->first;

   if (t == NULL)
      return false;
   *p = (StepPlace){ .step = p->step, .act = t->act, .top = t->top };
   if (r->mark == DCFG_WET_HANDLER)
      return run_handler(all, t, p);
   if (r->mark == DCFG_WET_RETURN)
      return run_return(all, t);
   if (r->mark == MarkTop)
      t->top = words[0] & 7;
   if (r->mark == DCFG_WET_FRESH && t->entering) {
      Act* a = act_of(all, t->act);
      Act* h = act_of(all, a->up);
      if (words[0] < a->place)
         a->place = words[0];
      if (words[0] + words[1] > h->place)
         h->place = words[0] + words[1];
   }
   return true;
}

/*--- Chunks                                               ---*/

static bool copy_thread(Acts* all, ThreadActs* to, const ThreadActs* from)
{
   *to = *from;
   to->interrupted = (Array){ 0 };
   if (from->interrupted.n > 0) {
      void* copy = array_add_n(all->job, &to->interrupted, sizeof(Interrupted),
                              from->interrupted.n);
      if (copy == NULL)
         return false;
      memcpy(copy, from->interrupted.data,
             from->interrupted.n * sizeof(Interrupted));
   }
   return true;
}

static bool take_snapshot(Acts* all)
{
   uint32_t  n = (uint32_t)all->code->w->threads.n;
   Snapshot* s = array_add(all->job, &all->snapshots, sizeof(*s));

   if (s == NULL)
      return false;
   s->n_handlers = all->n_handlers;
   s->threads    = job_calloc(all->job, n, sizeof(ThreadActs));
   if (s->threads == NULL)
      return false;
   for (uint32_t i = 0; i < n; i++) {
      if (!copy_thread(all, &s->threads[i], &all->now[i]))
         return false;
      if (s->threads[i].act != DCFG_NONE)
         act_of(all, s->threads[i].act)->refs++;
   }
   return true;
}

static bool run_at(Acts* all, uint32_t i, StepPlace* p)
{
   const WetStep* r = &all->steps->steps[i];

   p->step = i;
   return r->sb != 0 ? run_step(all, r, p) : run_mark(all, r, p);
}

/* Run all steps, in the first pass. */
static bool run_steps(Acts* all)
{
   StepPlace here;

   for (uint32_t i = 0; i < all->steps->n_steps; i++)
      if (!run_at(all, i, &here))
         return false;
   return true;
}

/* Steps between the prefetch of a step's addresses and its run. */
#define AHEAD 16

/* Run the steps that are not easy.  Easy ones leave a thread where it is, if it
   ran the record before. */
static bool run_turns(Acts* all)
{
   const WetSteps* steps = all->steps;

   array_cut(&all->places, 0);
   if (!array_reserve(all->job, &all->places, sizeof(StepPlace),
                      steps->n_turns))
      return false;
   for (size_t k = 0; k < steps->n_turns; k++) {
      size_t     ahead = k + AHEAD < steps->n_turns ? k + AHEAD : k;
      StepPlace* p = &ELEM(all->places, StepPlace, all->places.n++);
      __builtin_prefetch(&steps->addrs[steps->steps[steps->turns[ahead]]
                                       .first]);
      if (!run_at(all, steps->turns[k], p))
         return false;
   }
   return true;
}

/* Note the ends of all that are still active. */
static bool end_threads(Acts* all)
{
   for (uint32_t i = 0; i < all->code->w->threads.n; i++)
      for (uint32_t act = all->now[i].act; act != DCFG_NONE && act != 0;
           act = act_of(all, act)->up)
         if (!ends(all, act_of(all, act)->last))
            return false;
   return true;
}

bool acts_start(Acts* all, const SliceCode* code, WetGraph* graph,
                Callbacks* callbacks, Executions* executions)
{
   uint32_t n = (uint32_t)code->w->threads.n;

   *all = (Acts){ .job = code->job, .code = code, .graph = graph,
                  .callbacks = callbacks, .executions = executions };
   all->now = job_calloc(all->job, n + (size_t)1, sizeof(ThreadActs));
   if (all->now == NULL || array_add(all->job, &all->acts, sizeof(Act)) == NULL)
      return false;
   for (uint32_t i = 0; i < n; i++)
      all->now[i].act = DCFG_NONE;
   return true;
}

bool acts_take_part(Acts* all, const WetPart* part)
{
   all->steps = &part->steps;
   return (!part->first || take_snapshot(all)) && run_steps(all);
}

bool acts_end(Acts* all)
{
   if (!take_snapshot(all) || !end_threads(all))
      return false;
   all->again = true;
   return true;
}

static void free_thread(Acts* all, ThreadActs* p)
{
   array_free(all->job, &p->interrupted, sizeof(Interrupted));
}

/* Match the activations at the end of CHUNK, which was read again, with those
   of the snapshot behind it, and note the new numbers. */
static bool match_acts(Acts* all, uint32_t chunk)
{
   Snapshot* s = &ELEM(all->snapshots, Snapshot, chunk + 1);

   array_cut(&all->renamed, 0);
   for (uint32_t i = 0; i < all->code->w->threads.n; i++) {
      uint32_t then = s->threads[i].act, now = all->now[i].act;
      while (then != DCFG_NONE && then != 0 && now != 0 && then != now) {
         Renamed* r = array_add(all->job, &all->renamed, sizeof(*r));
         if (r == NULL)
            return false;
         *r   = (Renamed){ then, now };
         then = act_of(all, then)->up;
         now  = act_of(all, now)->up;
      }
      if (s->threads[i].act != DCFG_NONE)
         release(all, s->threads[i].act);
      free_thread(all, &s->threads[i]);
   }
   job_free(all->job, s->threads, all->code->w->threads.n * sizeof(ThreadActs));
   s->threads = NULL;
   return true;
}

bool acts_place_chunk(Acts* all, const WetSteps* steps, uint32_t chunk)
{
   const Snapshot* s = &ELEM(all->snapshots, Snapshot, chunk);

   all->steps = steps;
   for (uint32_t i = 0; i < all->code->w->threads.n; i++) {
      free_thread(all, &all->now[i]);
      if (!copy_thread(all, &all->now[i], &s->threads[i]))
         return false;
   }
   all->n_handlers = s->n_handlers;
   array_cut(&all->made, 0);
   return run_turns(all) && match_acts(all, chunk);
}

/* Free the activations that began in the chunk. */
void acts_leave_chunk(Acts* all)
{
   for (size_t i = 0; i < all->made.n; i++)
      free_act(all, ELEM(all->made, uint32_t, i));
   array_cut(&all->made, 0);
}

void acts_free(Acts* all)
{
   uint32_t n = all->code == NULL ? 0 : (uint32_t)all->code->w->threads.n;

   for (size_t c = 0; c < all->snapshots.n; c++) {
      ThreadActs* p = ELEM(all->snapshots, Snapshot, c).threads;
      for (uint32_t i = 0; p != NULL && i < n; i++)
         free_thread(all, &p[i]);
      job_free(all->job, p, n * sizeof(ThreadActs));
   }
   array_free(all->job, &all->snapshots, sizeof(Snapshot));
   for (uint32_t i = 0; all->now != NULL && i < n; i++)
      free_thread(all, &all->now[i]);
   job_free(all->job, all->now, (n + (size_t)1) * sizeof(ThreadActs));
   array_free(all->job, &all->places, sizeof(StepPlace));
   array_free(all->job, &all->acts, sizeof(Act));
   array_free(all->job, &all->made, sizeof(uint32_t));
   array_free(all->job, &all->renamed, sizeof(Renamed));
   array_free(all->job, &all->returned, sizeof(bool));
}
