/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: control dependences: the latest instance, in its activation, of a
   branch on which an instruction is control dependent, or the call.  Handed:
   instances by wet_events.c; before that all records by wet_cursor.c, for the
   graph of wet_graph.c.

   An activation has a stack of branches whose immediate post-dominators have
   not been reached.  The next instruction depends on the top one (B. Xin, X.
   Zhang, "Efficient Online Detection of Dynamic Control Dependence", ISSTA
   2007).

   activations.h has the rules of activations. */

#include "lib/wet/wet_writers.h"
#include "lib/wet/wet_control.h"
#include "lib/wet/wet_graph.h"

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
      uint32_t  ran;            // activation of the last instruction
   }
   Thread;

/* Kept: the data of a stack that was left. */
typedef
   struct {
      Array open;               // as in Thread
   }
   Kept;

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
}

static bool end_act(void* arg, ActThread* at, const Activation* act, ActEnd how)
{
   DcfgWetEvents*    v = arg;
   WetControl*       c = v->control;
   Thread*           t = (Thread*)at;
   const ControlAct* a = (const ControlAct*)act;

   if (how == ActLeft && act->handler && c->known)
      wet_forget_handler(v, (uint32_t)(t - &ELEM(c->threads, Thread, 0)));
   array_cut(&t->open, a->open);
   return ends(c, act->last)
          && (how != ActLeft || a->call == 0
              || ends(c, instance_of(a->call).instr));
}

/* T leaves its stack: keep the branches of its activations. */
static bool leave_stack(void* arg, ActThread* at, void** kept)
{
   DcfgWetEvents* v = arg;
   Thread*        t = (Thread*)at;
   Kept*          k = job_calloc(v->job, 1, sizeof(*k));

   if (k == NULL)
      return false;
   k->open = t->open;
   *kept   = k;
   t->open = (Array){ 0 };
   return true;
}

static bool resume_stack(void* arg, ActThread* at, void** kept)
{
   DcfgWetEvents* v = arg;
   Thread*        t = (Thread*)at;

   array_free(v->job, &t->open, sizeof(Open));
   if (*kept == NULL)
      return true;
   t->open = ((const Kept*)*kept)->open;
   job_free(v->job, *kept, sizeof(Kept));
   return true;
}

static uint64_t behind(void* arg, uint32_t instr)
{
   return wet_behind(((DcfgWetEvents*)arg)->w, instr);
}

#define USER(w) (&(const ActUser){ &(w)->control->acts, sizeof(ControlAct), \
                                   begin_act, end_act, leave_stack, \
                                   resume_stack, behind, (w) })

static Thread* begin_thread(DcfgWetEvents* v, uint32_t number)
{
   WetControl* c = v->control;
   Thread*     t;

   while (c->threads.n <= number)
      if (number >= v->w->threads.n
          || array_add(v->job, &c->threads, sizeof(Thread)) == NULL) {
         job_fail(v->job, DCFG_ERROR_FORMAT, "tape",
                  "there is no thread %u", number);
         return NULL;
      }
   t = &ELEM(c->threads, Thread, number);
   return act_begin(USER(v), &t->at) ? t : NULL;
}

static inline Thread* thread_of(DcfgWetEvents* v, uint32_t number)
{
   WetControl* c = v->control;

   if (number < c->threads.n && ELEM(c->threads, Thread, number).at.act != 0)
      return &ELEM(c->threads, Thread, number);
   return begin_thread(v, number);
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
static inline bool open_branch(DcfgWetEvents* v, Thread* t, Writer me,
                               uint32_t ipdom)
{
   if ((t->open.n == top_of(v->control, t)->open
        || TOP(t->open, Open)->ipdom != ipdom)
       && array_add(v->job, &t->open, sizeof(Open)) == NULL)
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
static inline bool arrive(DcfgWetEvents* v, Thread* t, uint32_t i, Writer me,
                          Writer* control)
{
   WetControl* c = v->control;
   Activation* a = &top_of(c, t)->act;
   uint32_t    last = a->last;

   a->last = i;
   if (!c->known)
      return last == DCFG_NONE || wet_graph_arc(&c->graph, last, i);
   close_branches(c, t, i);
   *control = deciding(c, t);
   t->ran = t->at.act;
   return !c->graph.branches[i]
          || open_branch(v, t, me, c->graph.ipdom[i]);
}

/* T goes on with the present record. */
static inline bool go_on(DcfgWetEvents* v, Thread* t)
{
   const WetSb* sb = &ELEM(v->w->sbs, WetSb, v->record.sb);

   return t->at.maybe == 0
          || act_arrive(USER(v), &t->at,
                        v->w->plans[v->w->places[sb->instrs.first].instr].addr);
}

bool wet_find_control(DcfgWetEvents* v, const DcfgWetEvent* e, uint64_t sp,
                      Writer* control)
{
   Writer   me = writer_of(e->instr, e->instance);
   Thread*  t = thread_of(v, e->thread);
   Transfer x;
   uint32_t made;

   *control = 0;
   if (t == NULL || !go_on(v, t))
      return false;
   act_runs(&t->at);
   if (!is_transfer(v->w->plans[e->instr].kind)) {
      if (e->stack != 0 && v->w->plans[e->instr].loads_sp)
         act_load(&v->control->acts, sizeof(ControlAct), &t->at,
                  e->stack_before, e->stack);
      return arrive(v, t, e->instr, me, control);
   }
   x = wet_transfer(v->w, e->instr, e->accesses, e->n_accesses, sp, me);
   return act_before(USER(v), &t->at, &x)
          && arrive(v, t, e->instr, me, control)
          && act_transfer(USER(v), &t->at, &x, &made);
}

bool wet_control_mark(DcfgWetEvents* v, const DcfgWetEvent* e)
{
   Thread* t = thread_of(v, e->thread);

   return t != NULL
          && act_mark(USER(v), &t->at, (uint32_t)e->kind,
                      (const uint64_t[]){ e->addr, e->size });
}

Writer wet_same_control(const DcfgWetEvents* v, uint32_t thread)
{
   return deciding(v->control, &ELEM(v->control->threads, Thread, thread));
}

/* Note that the instruction at AT, of the present record of T, loads the stack
   pointer, if it does. */
static inline void note_load(const DcfgWetEvents* v, Thread* t,
                             const InstrPlan* at)
{
   const uint64_t* sp = wet_load_of_sp(at, v->addrs, v->record.n_slots);

   if (sp != NULL)
      act_load(&v->control->acts, sizeof(ControlAct), &t->at, sp[0], sp[1]);
}

bool wet_pass_control(DcfgWetEvents* v, const Point* p, uint32_t n_points)
{
   Thread* t = thread_of(v, v->record.thread);

   if (t == NULL || !go_on(v, t))
      return false;
   act_runs(&t->at);
   for (const Point* end = p + n_points; p < end; p++) {
      uint64_t     n  = v->instances[p->instr] + p->nth;
      Writer       me = v->namer != NULL ? 0 : writer_of(p->instr, n), control;
      DcfgWetEvent e;
      const InstrPlan* at = &v->w->places[ELEM(v->w->sbs, WetSb, v->record.sb)
                                   .instrs.first + p->place];
      if (!is_transfer(p->kind)) {
         note_load(v, t, at);
         close_branches(v->control, t, p->instr);
         if (p->ipdom != DCFG_NONE && !open_branch(v, t, me, p->ipdom))
            return false;
         continue;
      }
      e.thread   = v->record.thread;
      e.instr    = p->instr;
      e.instance = n;
      wet_find_accesses(v, at, &e);
      if (!wet_find_control(v, &e, wet_stack_pointer(v, at), &control))
         return false;
   }
   return true;
}

/*--- Names                                                ---*/

/* Give NAME to the branch or call of E, the last one that decides in its
   thread. */
void wet_name_control(DcfgWetEvents* v, const DcfgWetEvent* e, Writer name)
{
   Thread* t = &ELEM(v->control->threads, Thread, e->thread);
   Writer  me = writer_of(e->instr, e->instance);

   if (t->open.n > 0 && TOP(t->open, Open)->branch == me)
      TOP(t->open, Open)->branch = name;
   if (top_of(v->control, t)->call == me)
      top_of(v->control, t)->call = name;
}

bool wet_control_is_nameless(const DcfgWetEvents* v, uint32_t thread)
{
   const Array*      threads = &v->control->threads;
   const Thread*     t;
   const ControlAct* a;

   if (thread >= threads->n || ELEM(*threads, Thread, thread).at.act == 0)
      return true;
   t = &ELEM(*threads, Thread, thread);
   a = top_of(v->control, t);
   for (size_t i = a->open; i < t->open.n; i++)
      if (ELEM(t->open, Open, i).branch != 0)
         return false;
   return a->call == 0;
}

uint32_t wet_control_activation(const DcfgWetEvents* v, uint32_t thread)
{
   return ELEM(v->control->threads, Thread, thread).ran;
}

/*--- The graph                                            ---*/

static bool end_threads(DcfgWetEvents* v)
{
   WetControl* c = v->control;

   for (uint32_t i = 0; i < c->threads.n; i++) {
      Thread* t = &ELEM(c->threads, Thread, i);
      while (t->at.act != 0)
         if (!act_pop(USER(v), &t->at, ActReturned))
            return false;
   }
   return c->threads.n == 0
          || act_end_left(USER(v), &ELEM(c->threads, Thread, 0).at);
}

/* Note where the last instruction of the record leads, at AT, if it is no
   TRANSFER. */
static bool note_arcs(DcfgWetEvents* v, Thread* t, const InstrPlan* at, bool transfer)
{
   uint32_t n = v->record.n_instrs - transfer;
   Writer   control;

   if (n == 0)
      return true;
   if (!arrive(v, t, at[0].instr, 0, &control)
       || !wet_graph_within(&v->control->graph, v->record.sb, n))
      return false;
   top_of(v->control, t)->act.last = at[n - 1].instr;
   return true;
}

/* Note the arcs of the present record, an execution of a superblock. */
static bool scan_record(DcfgWetEvents* v, Thread* t)
{
   const WetStep* r = &v->record;
   const InstrPlan*   at = &v->w->places[ELEM(v->w->sbs, WetSb, r->sb).instrs.first];
   const InstrPlan*   last = at + r->n_instrs - 1;
   bool           transfer = is_transfer(v->w->plans[last->instr].kind);
   DcfgWetEvent   e = { .thread = r->thread, .instr = last->instr };
   Writer         control;

   if (!note_arcs(v, t, at, transfer))
      return false;
   if (ELEM(v->w->sbs, WetSb, r->sb).loads_sp)
      for (uint32_t k = 0; k < r->n_instrs; k++)
         note_load(v, t, &at[k]);
   if (!transfer)
      return true;
   wet_find_accesses(v, last, &e);
   return wet_find_control(v, &e, wet_stack_pointer(v, last), &control);
}

/* Note the arcs between instructions of step R.  Arcs inside a superblock are
   noted once. */
static bool scan_step(DcfgWetEvents* v, const WetStep* r)
{
   Thread*      t = thread_of(v, r->thread);
   DcfgWetEvent e;

   if (t == NULL)
      return false;
   v->record = *r;
   v->addrs  = v->steps.addrs + r->first;
   if (r->sb != 0) {
      act_runs(&t->at);
      return go_on(v, t) && scan_record(v, t);
   }
   wet_take_mark(v, &e);
   return wet_control_mark(v, &e);
}

/* Note the arcs of a block's steps, but those that are known. */
static bool scan_steps(DcfgWetEvents* v, uint32_t* before)
{
   const WetSteps* s = &v->steps;

   for (size_t i = 0; i < s->n_steps; i++) {
      size_t first = i;
      i = wet_pass_known(v->w->ways, before, s, i);
      if (i > first) {
         const WetStep* last = &s->steps[i - 1];
         top_of(v->control, thread_of(v, last->thread))->act.last
            = v->w->ways[last->way].last;
      }
      if (i < s->n_steps && !scan_step(v, &s->steps[i]))
         return false;
   }
   return true;
}

static bool scan(DcfgWetEvents* v, WetCursor* c)
{
   size_t    n = v->w->n_ways + 1;
   uint32_t* before = job_calloc(v->job, n, sizeof(*before));
   bool      ok = before != NULL;

   while (ok && wet_next_block(c, &v->steps))
      ok = scan_steps(v, before);
   job_free(v->job, before, n * sizeof(*before));
   if (c->job.err.status != DCFG_OK)
      ok = job_adopt(v->job, &c->job.err);
   wet_free_steps(&c->job, &v->steps);
   v->record = (WetStep){ 0 };
   return ok && end_threads(v);
}

static void free_threads(DcfgWetEvents* v)
{
   WetControl* c = v->control;

   for (uint32_t i = 0; i < c->threads.n; i++) {
      Thread* t = &ELEM(c->threads, Thread, i);
      array_free(v->job, &t->open, sizeof(Open));
   }
   for (size_t i = 0; i < c->acts.left.n; i++) {
      Kept* kept = ELEM(c->acts.left, LeftStack, i).kept;
      array_free(v->job, &kept->open, sizeof(Open));
      job_free(v->job, kept, sizeof(*kept));
   }
   activations_free(&c->acts, sizeof(ControlAct));
   array_free(v->job, &c->threads, sizeof(Thread));
   c->threads = (Array){ 0 };
}

void wet_free_control(DcfgWetEvents* v)
{
   if (v->control == NULL)
      return;
   free_threads(v);
   wet_graph_free(&v->control->graph);
   free(v->control);
}

/* Return, by index in .sb_instrs, whether control dependence may change
   there: at branches, at their post-dominators, where activations begin and end,
   and at loads of the stack pointer. */
static bool* mark_points(DcfgWetEvents* v)
{
   const DcfgWet* w = v->w;
   const WetGraph* g     = &v->control->graph;
   uint32_t        n     = GRAPH_EXIT(g) + 1;
   bool*           point = job_calloc(v->job, n, sizeof(*point));

   for (uint32_t i = 0; point != NULL && i < n; i++) {
      uint8_t kind = i < w->instrs.n ? w->plans[i].kind : InsnPlain;
      point[i] |= g->branches[i]
                  || (kind >= InsnIndirectJump && kind <= InsnReturn)
                  || (i < w->instrs.n && w->plans[i].loads_sp);
      if (g->branches[i] && g->ipdom[i] < n)
         point[g->ipdom[i]] = true;
   }
   return point;
}

static bool add_points(DcfgWetEvents* v, uint32_t id, const bool* point)
{
   const DcfgWet* w = v->w;
   const WetGraph*  g  = &v->control->graph;
   const Span       s  = ELEM(w->sbs, WetSb, id).instrs;
   const InstrPlan* at = &w->places[s.first];

   v->points_of[id].first = (uint32_t)v->points.n;
   for (uint32_t k = 0; k < s.n; k++) {
      uint32_t i = at[k].instr;
      Point*   p;
      v->is_point[s.first + k] = point[i];
      if (!point[i])
         continue;
      p = array_add(v->job, &v->points, sizeof(*p));
      if (p == NULL)
         return false;
      *p = (Point){ i, g->branches[i] ? g->ipdom[i] : DCFG_NONE, (uint16_t)k,
                    at[k].nth, w->plans[i].kind };
   }
   v->points_of[id].n = (uint32_t)v->points.n - v->points_of[id].first;
   return true;
}

static bool find_points(DcfgWetEvents* v)
{
   const DcfgWet* w = v->w;
   bool*          point = mark_points(v);
   bool           ok;

   v->points_of = job_calloc(v->job, w->sbs.n, sizeof(Span));
   v->is_point  = job_calloc(v->job, w->sb_instrs.n + 1, sizeof(bool));
   ok = point != NULL && v->points_of != NULL && v->is_point != NULL
        && array_add(v->job, &v->points, sizeof(Point)) != NULL;

   for (uint32_t id = 1; ok && id < w->sbs.n; id++)
      ok = add_points(v, id, point);
   job_free(v->job, point, GRAPH_EXIT(&v->control->graph) + (size_t)1);
   return ok;
}

static bool start_acts(DcfgWetEvents* v)
{
   return activations_start(&v->control->acts, v->job, sizeof(ControlAct),
                            wet_pushed(v->w));
}

/* Make the graph from what C reads. */
bool wet_make_graph(DcfgWetEvents* v, WetCursor* c)
{
   WetControl* all = job_calloc(v->job, 1, sizeof(*all));
   bool        ok;

   v->control = all;
   ok = all != NULL && wet_graph_new(v->job, v->w, &all->graph)
        && start_acts(v) && scan(v, c);
   if (all == NULL)
      return false;
   free_threads(v);
   all->known = ok && wet_graph_finish(&all->graph) && find_points(v)
                && start_acts(v);
   return all->known;
}
