/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Control dependences. */

/* Owns: control dependences: the latest instance, in its activation, of a
   branch on which an instruction is control dependent, or the call.  Handed:
   instances by wet_events.c; before that all records by wet_tape.c, for the
   graph of wet_graph.c.

   An activation has a stack of branches whose immediate post-dominators have
   not been reached.  The next instruction depends on the top one (B. Xin, X.
   Zhang, "Efficient Online Detection of Dynamic Control Dependence", ISSTA
   2007).

   activations.h has the rules of activations. */

#include "lib/wet/wet_writers.h"
#include "lib/wet/wet.h"
#include "lib/wet/wet_control.h"
#include "lib/wet/wet_graph.h"
#include "lib/wet/wet_names.h"

#include <stdlib.h>

typedef
   struct {
      Activation act;
      uint32_t   open;          // first of its branches in .open
      Writer     call;          // 0: no caller
   }
   ControlAct;

typedef
   struct {
      Writer   branch;
      uint32_t ipdom;
   }
   Open;

typedef
   struct {
      ActThread at;
      Array     open;           // Open
      uint32_t  n_active;
      uint32_t  depth;          // .n_active at the last instruction
   }
   Thread;

struct WetControl {
   WetGraph    graph;
   bool        known;           // the graph is complete
   Activations acts;            // ControlAct
   Array       threads;         // Thread
};

#define TOP(a, Type) (&ELEM((a), Type, (a).n - 1))

static inline ControlAct* top_of(const WetControl* c, const Thread* t)
{
   return &ELEM(c->acts.acts, ControlAct, t->at.act);
}

/*--- Activations                                          ---*/

/* Note that instruction I was the last of its activation, or a call that never
   returned. */
static bool ends(WetControl* c, uint32_t i)
{
   return c->known || i == DCFG_NONE
          || wet_graph_arc(&c->graph, i, GRAPH_EXIT(&c->graph));
}

static void begin_act(void* arg, ActThread* at, Activation* act,
                      const Transfer* by)
{
   Thread*     t = (Thread*)at;
   ControlAct* a = (ControlAct*)act;

   (void)arg;
   a->call = by == NULL ? 0 : by->me;
   a->open = (uint32_t)t->open.n;
   t->n_active++;
}

static bool end_act(void* arg, ActThread* at, const Activation* act, ActEnd how)
{
   DcfgWet*          w = arg;
   WetControl*       c = w->control;
   Thread*           t = (Thread*)at;
   const ControlAct* a = (const ControlAct*)act;

   if (how == ActLeft && act->handler && c->known)
      wet_forget_handler(w, (uint32_t)(t - &ELEM(c->threads, Thread, 0)));
   array_cut(&t->open, a->open);
   t->n_active--;
   return ends(c, act->last)
          && (how != ActLeft || a->call == 0
              || ends(c, instance_of(a->call).instr));
}

#define USER(w) (&(const ActUser){ &(w)->control->acts, sizeof(ControlAct), \
                                   begin_act, end_act, (w) })

static Thread* begin_thread(DcfgWet* w, uint32_t number)
{
   WetControl* c = w->control;
   Thread*     t;

   while (c->threads.n <= number)
      if (number >= w->threads.n
          || array_add(&w->job, &c->threads, sizeof(Thread)) == NULL) {
         job_fail(&w->job, DCFG_ERROR_FORMAT, "tape",
                  "there is no thread %u", number);
         return NULL;
      }
   t = &ELEM(c->threads, Thread, number);
   return act_begin(USER(w), &t->at) ? t : NULL;
}

static inline Thread* thread_of(DcfgWet* w, uint32_t number)
{
   WetControl* c = w->control;

   if (number < c->threads.n && ELEM(c->threads, Thread, number).at.act != 0)
      return &ELEM(c->threads, Thread, number);
   return begin_thread(w, number);
}

/*--- Instances                                            ---*/

/* Close the branches of the top activation whose post-dominator is I. */
static inline void close_branches(const WetControl* c, Thread* t, uint32_t i)
{
   uint32_t first = top_of(c, t)->open;

   while (t->open.n > first && TOP(t->open, Open)->ipdom == i)
      array_pop(&t->open);
}

/* Open branch ME, which decides up to IPDOM.  A branch that ends at the same
   instruction no longer decides anything. */
static inline bool open_branch(DcfgWet* w, Thread* t, Writer me,
                               uint32_t ipdom)
{
   if ((t->open.n == top_of(w->control, t)->open
        || TOP(t->open, Open)->ipdom != ipdom)
       && array_add(&w->job, &t->open, sizeof(Open)) == NULL)
      return false;
   *TOP(t->open, Open) = (Open){ me, ipdom };
   return true;
}

/* Return the branch or call that decides about the top activation's next
   instruction. */
static inline Writer deciding(const WetControl* c, const Thread* t)
{
   const ControlAct* a = top_of(c, t);

   return t->open.n > a->open ? TOP(t->open, Open)->branch : a->call;
}

/* Note that instruction I is next in the top activation; *CONTROL gets what
   decided. */
static inline bool arrive(DcfgWet* w, Thread* t, uint32_t i, Writer me,
                          Writer* control)
{
   WetControl* c = w->control;
   Activation* a = &top_of(c, t)->act;
   uint32_t    last = a->last;

   a->last = i;
   if (!c->known)
      return last == DCFG_NONE || wet_graph_arc(&c->graph, last, i);
   close_branches(c, t, i);
   *control = deciding(c, t);
   t->depth = t->n_active;
   return !c->graph.branches[i]
          || open_branch(w, t, me, c->graph.ipdom[i]);
}

bool wet_find_control(DcfgWet* w, const DcfgWetEvent* e, uint64_t sp,
                      Writer* control)
{
   Writer   me = writer_of(e->instr, e->instance);
   Thread*  t = thread_of(w, e->thread);
   Transfer x;
   uint32_t made;

   *control = 0;
   if (t == NULL)
      return false;
   t->at.entering = false;
   if (!is_transfer(w->plans[e->instr].kind))
      return arrive(w, t, e->instr, me, control);
   x = wet_transfer(w, e->instr, e->accesses, e->n_accesses, sp, me);
   return act_before(USER(w), &t->at, &x)
          && arrive(w, t, e->instr, me, control)
          && act_transfer(USER(w), &t->at, &x, &made);
}

bool wet_control_mark(DcfgWet* w, const DcfgWetEvent* e)
{
   Thread* t = thread_of(w, e->thread);

   return t != NULL
          && act_mark(USER(w), &t->at, (uint32_t)e->kind,
                      (const uint64_t[]){ e->addr, e->size });
}

Writer wet_same_control(const DcfgWet* w, uint32_t thread)
{
   return deciding(w->control, &ELEM(w->control->threads, Thread, thread));
}

bool wet_pass_control(DcfgWet* w, const Point* p, uint32_t n_points)
{
   Thread* t = thread_of(w, w->record.thread);

   if (t == NULL)
      return false;
   t->at.entering = false;
   for (const Point* end = p + n_points; p < end; p++) {
      uint64_t     n  = w->instances[p->instr] + p->nth;
      Writer       me = w->namer != NULL ? 0 : writer_of(p->instr, n), control;
      DcfgWetEvent e;
      if (!is_transfer(p->kind)) {
         close_branches(w->control, t, p->instr);
         if (p->ipdom != DCFG_NONE && !open_branch(w, t, me, p->ipdom))
            return false;
         continue;
      }
      const InstrPlan* at = &w->places[ELEM(w->sbs, WetSb, w->record.sb)
                                   .instrs.first + p->place];
      e.thread   = w->record.thread;
      e.instr    = p->instr;
      e.instance = n;
      wet_find_accesses(w, at, &e);
      if (!wet_find_control(w, &e, wet_stack_pointer(w, at), &control))
         return false;
   }
   return true;
}

/*--- Names                                                ---*/

/* Give NAME to the branch or call of E, the last one that decides in its
   thread. */
void wet_name_control(DcfgWet* w, const DcfgWetEvent* e, Writer name)
{
   Thread* t = &ELEM(w->control->threads, Thread, e->thread);
   Writer  me = writer_of(e->instr, e->instance);

   if (t->open.n > 0 && TOP(t->open, Open)->branch == me)
      TOP(t->open, Open)->branch = name;
   if (top_of(w->control, t)->call == me)
      top_of(w->control, t)->call = name;
}

bool wet_control_is_nameless(const DcfgWet* w, uint32_t thread)
{
   const Array*      threads = &w->control->threads;
   const Thread*     t;
   const ControlAct* a;

   if (thread >= threads->n || ELEM(*threads, Thread, thread).at.act == 0)
      return true;
   t = &ELEM(*threads, Thread, thread);
   a = top_of(w->control, t);
   for (size_t i = a->open; i < t->open.n; i++)
      if (ELEM(t->open, Open, i).branch != 0)
         return false;
   return a->call == 0;
}

uint32_t wet_control_depth(const DcfgWet* w, uint32_t thread)
{
   return ELEM(w->control->threads, Thread, thread).depth;
}

/*--- The graph                                            ---*/

static bool end_threads(DcfgWet* w)
{
   WetControl* c = w->control;

   for (uint32_t i = 0; i < c->threads.n; i++) {
      Thread* t = &ELEM(c->threads, Thread, i);
      while (t->at.act != 0)
         if (!act_pop(USER(w), &t->at, ActReturned))
            return false;
   }
   return true;
}

/* Note where the last instruction of the record leads, at AT, if it is no
   TRANSFER. */
static bool note_arcs(DcfgWet* w, Thread* t, const InstrPlan* at, bool transfer)
{
   uint32_t n = w->record.n_instrs - transfer;
   Writer   control;

   if (n == 0)
      return true;
   if (!arrive(w, t, at[0].instr, 0, &control)
       || !wet_graph_within(&w->control->graph, w->record.sb, n))
      return false;
   top_of(w->control, t)->act.last = at[n - 1].instr;
   return true;
}

/* Note the arcs of the present record, an execution of a superblock. */
static bool scan_record(DcfgWet* w, Thread* t)
{
   const WetStep* r = &w->record;
   const InstrPlan*   at = &w->places[ELEM(w->sbs, WetSb, r->sb).instrs.first];
   const InstrPlan*   last = at + r->n_instrs - 1;
   bool           transfer = is_transfer(w->plans[last->instr].kind);
   DcfgWetEvent   e = { .thread = r->thread, .instr = last->instr };
   Writer         control;

   if (!note_arcs(w, t, at, transfer))
      return false;
   if (!transfer)
      return true;
   wet_find_accesses(w, last, &e);
   return wet_find_control(w, &e, wet_stack_pointer(w, last), &control);
}

/* Note the arcs between instructions of step R.  Arcs inside a superblock are
   noted once.  Of equal steps in a row only the last one is there. */
static bool scan_step(DcfgWet* w, const WetStep* r)
{
   Thread*      t = thread_of(w, r->thread);
   DcfgWetEvent e;

   if (t == NULL)
      return false;
   if (r->sb != 0 && r->n_instrs == 0) {
      top_of(w->control, t)->act.last = w->ways[r->way].last;
      return true;
   }
   w->record = *r;
   w->addrs  = w->steps.addrs + r->first;
   if (r->sb != 0) {
      t->at.entering = false;
      return scan_record(w, t);
   }
   wet_take_mark(w, &e);
   return wet_control_mark(w, &e);
}

static bool scan(DcfgWet* w)
{
   while (wet_next_block(w, SLOTS_OF_TRANSFERS, &w->steps))
      for (size_t i = 0; i < w->steps.n_steps; i++)
         if (!scan_step(w, &w->steps.steps[i]))
            return false;
   return w->job.err.status == DCFG_OK && end_threads(w);
}

static void free_threads(DcfgWet* w)
{
   WetControl* c = w->control;

   for (uint32_t i = 0; i < c->threads.n; i++) {
      Thread* t = &ELEM(c->threads, Thread, i);
      array_free(&w->job, &t->open, sizeof(Open));
   }
   activations_free(&c->acts, sizeof(ControlAct));
   array_free(&w->job, &c->threads, sizeof(Thread));
   c->threads = (Array){ 0 };
}

void wet_free_control(DcfgWet* w)
{
   if (w->control == NULL)
      return;
   free_threads(w);
   wet_graph_free(&w->control->graph);
   free(w->control);
}

/* Return, by index in .sb_instrs, whether control dependence may change
   there: at branches, at their post-dominators, and where activations begin
   and end. */
static bool* mark_points(DcfgWet* w)
{
   const WetGraph* g     = &w->control->graph;
   uint32_t        n     = GRAPH_EXIT(g) + 1;
   bool*           point = job_calloc(&w->job, n, sizeof(*point));

   for (uint32_t i = 0; point != NULL && i < n; i++) {
      uint8_t kind = i < w->instrs.n ? w->plans[i].kind : InsnPlain;
      point[i] |= g->branches[i]
                  || (kind >= InsnIndirectJump && kind <= InsnReturn);
      if (g->branches[i] && g->ipdom[i] < n)
         point[g->ipdom[i]] = true;
   }
   return point;
}

static bool add_points(DcfgWet* w, uint32_t id, const bool* point)
{
   const WetGraph*  g  = &w->control->graph;
   const Span       s  = ELEM(w->sbs, WetSb, id).instrs;
   const InstrPlan* at = &w->places[s.first];

   w->points_of[id].first = (uint32_t)w->points.n;
   for (uint32_t k = 0; k < s.n; k++) {
      uint32_t i = at[k].instr;
      Point*   p;
      w->is_point[s.first + k] = point[i];
      if (!point[i])
         continue;
      p = array_add(&w->job, &w->points, sizeof(*p));
      if (p == NULL)
         return false;
      *p = (Point){ i, g->branches[i] ? g->ipdom[i] : DCFG_NONE, (uint16_t)k,
                    at[k].nth, w->plans[i].kind };
   }
   w->points_of[id].n = (uint32_t)w->points.n - w->points_of[id].first;
   return true;
}

static bool find_points(DcfgWet* w)
{
   bool* point = mark_points(w);
   bool  ok;

   w->points_of = job_calloc(&w->job, w->sbs.n, sizeof(Span));
   w->is_point  = job_calloc(&w->job, w->sb_instrs.n + 1, sizeof(bool));
   ok = point != NULL && w->points_of != NULL && w->is_point != NULL
        && array_add(&w->job, &w->points, sizeof(Point)) != NULL;

   for (uint32_t id = 1; ok && id < w->sbs.n; id++)
      ok = add_points(w, id, point);
   job_free(&w->job, point, GRAPH_EXIT(&w->control->graph) + (size_t)1);
   return ok;
}

/* Make the graph from OTHER, the same trace at its begin. */
bool wet_make_graph(DcfgWet* w, DcfgWet* other)
{
   bool ok;

   w->control = job_calloc(&w->job, 1, sizeof(*w->control));
   if (w->control == NULL || !wet_graph_new(&w->job, w, &w->control->graph))
      return false;
   if (other->instrs.n != w->instrs.n || other->n_ways != w->n_ways
       || other->unexecuted.n != w->unexecuted.n)
      return job_fail(&w->job, DCFG_ERROR_FILE, NULL,
                      "it has changed while it was read");
   other->control = w->control;
   ok = activations_start(&w->control->acts, &other->job, sizeof(ControlAct),
                   w->machine->links) && scan(other);
   free_threads(other);
   other->control = NULL;
   if (!ok)
      job_adopt(&w->job, &other->job.err);
   if (!ok || !wet_graph_finish(&w->control->graph) || !find_points(w)
       || !activations_start(&w->control->acts, &w->job, sizeof(ControlAct),
                      w->machine->links))
      return false;
   w->control->known = true;
   return true;
}
