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

   Activations are known by the addresses of their return addresses.  A return
   ends one.  An activation whose return address is below the stack pointer has
   ended without a return (longjmp, exceptions).  The activation of a handler is
   above one for the kernel's work, which nobody has called.

   On processors where calls leave the return address in a register, an
   activation has the stack pointer of its call in place of that address. Its
   caller may have the same one, if it has nothing on the stack. */

#include "lib/wet/wet_writers.h"
#include "lib/wet/wet_control.h"
#include "lib/wet/wet_graph.h"

#include <stdlib.h>

typedef
   struct {
      uint64_t place;           // address of the return address; UINT64_MAX:
                                // none
      Writer   call;            // 0: no caller
      uint32_t last;            // last instruction so far, or DCFG_NONE
      uint32_t open;            // first of its branches in .open
      bool     handler;         // a signal's handler
   }
   Activation;

typedef
   struct {
      Writer   branch;
      uint32_t ipdom;
   }
   Open;

typedef
   struct {
      Array active;             // Activation
      Array open;               // Open
      bool  entering;           // a handler's frame is being written
      uint32_t depth;           // activations at the last instruction
   }
   Thread;

struct WetControl {
   WetGraph graph;
   bool     known;              // the graph is complete
   Array    threads;            // Thread
};

#define TOP(a, Type) (&ELEM((a), Type, (a).n - 1))

/*--- Activations                                          ---*/

static Activation* activate(DcfgWetEvents* v, Thread* t, uint64_t place,
                            Writer call)
{
   Activation* a = array_add(v->job, &t->active, sizeof(*a));

   if (a != NULL)
      *a = (Activation){ place, call, DCFG_NONE, (uint32_t)t->open.n, false };
   return a;
}

static Thread* begin_thread(DcfgWetEvents* v, uint32_t number)
{
   const DcfgWet* w = v->w;
   WetControl* c = v->control;
   Thread*     t;

   while (c->threads.n <= number)
      if (number >= w->threads.n
          || array_add(v->job, &c->threads, sizeof(Thread)) == NULL) {
         job_fail(v->job, DCFG_ERROR_FORMAT, "tape",
                  "there is no thread %u", number);
         return NULL;
      }
   t = &ELEM(c->threads, Thread, number);
   if (t->active.n == 0 && activate(v, t, UINT64_MAX, 0) == NULL)
      return NULL;
   return t;
}

static inline Thread* thread_of(DcfgWetEvents* v, uint32_t number)
{
   WetControl* c = v->control;

   if (number < c->threads.n && ELEM(c->threads, Thread, number).active.n > 0)
      return &ELEM(c->threads, Thread, number);
   return begin_thread(v, number);
}

/* Note that instruction I was the last of its activation, or a call that never
   returned. */
static bool ends(WetControl* c, uint32_t i)
{
   return c->known || i == DCFG_NONE
          || wet_graph_arc(&c->graph, i, GRAPH_EXIT(&c->graph));
}

static bool drop(WetControl* c, Thread* t)
{
   Activation* a = TOP(t->active, Activation);

   if (!ends(c, a->last))
      return false;
   array_cut(&t->open, a->open);
   array_pop(&t->active);
   return true;
}

/* Remove the top activation, which did not return. */
static bool abandon(DcfgWetEvents* v, uint32_t thread, Thread* t)
{
   const Activation a = *TOP(t->active, Activation);

   if (a.handler && v->control->known)
      wet_forget_handler(v, thread);
   return drop(v->control, t)
          && (a.call == 0 || ends(v->control, instance_of(a.call).instr));
}

/* Remove the activations whose return addresses are below PLACE. */
static inline bool unwind(DcfgWetEvents* v, uint32_t thread, Thread* t,
                          uint64_t place)
{
   while (TOP(t->active, Activation)->place < place && t->active.n > 1)
      if (!abandon(v, thread, t))
         return false;
   return true;
}

/* Return from the activation whose return address is at PLACE.  If there is
   none, the return is a jump; but the caller of the first activation is not
   known. */
static bool leave(DcfgWetEvents* v, Thread* t, uint64_t place)
{
   Activation* a = TOP(t->active, Activation);

   if (a->place == place && t->active.n > 1)
      return drop(v->control, t);
   if (a->handler || t->active.n == 1) {
      if (!ends(v->control, a->last))
         return false;
      a->last   = DCFG_NONE;
      array_cut(&t->open, a->open);
   }
   return true;
}

/*--- Instances                                            ---*/

/* Close the branches of the top activation whose post-dominator is I. */
static inline void close_branches(Thread* t, uint32_t i)
{
   uint32_t first = TOP(t->active, Activation)->open;

   while (t->open.n > first && TOP(t->open, Open)->ipdom == i)
      array_pop(&t->open);
}

/* Open branch ME, which decides up to IPDOM.  A branch that ends at the same
   instruction no longer decides anything. */
static inline bool open_branch(DcfgWetEvents* v, Thread* t, Writer me,
                               uint32_t ipdom)
{
   if ((t->open.n == TOP(t->active, Activation)->open
        || TOP(t->open, Open)->ipdom != ipdom)
       && array_add(v->job, &t->open, sizeof(Open)) == NULL)
      return false;
   *TOP(t->open, Open) = (Open){ me, ipdom };
   return true;
}

/* Return the branch or call that decides about the top activation's next
   instruction. */
static inline Writer deciding(const Thread* t)
{
   const Activation* a = TOP(t->active, Activation);

   return t->open.n > a->open ? TOP(t->open, Open)->branch : a->call;
}

/* Note that instruction I is next in the top activation; *CONTROL gets what
   decided. */
static inline bool arrive(DcfgWetEvents* v, Thread* t, uint32_t i, Writer me,
                          Writer* control)
{
   WetControl* c = v->control;
   Activation* a = TOP(t->active, Activation);
   uint32_t    last = a->last;

   a->last = i;
   if (!c->known)
      return last == DCFG_NONE || wet_graph_arc(&c->graph, last, i);
   close_branches(t, i);
   *control = deciding(t);
   t->depth = (uint32_t)t->active.n;
   return !c->graph.branches[i]
          || open_branch(v, t, me, c->graph.ipdom[i]);
}

/* Return the address of E's last access of type WHAT, or 0. */
static uint64_t last_access(const DcfgWet* w, const DcfgWetEvent* e,
                            uint8_t what)
{
   const Plan*      p = &w->plans[e->instr];
   const WetAccess* a = &ELEM(w->accesses, WetAccess, p->accesses);

   for (uint32_t j = e->n_accesses < p->n_accesses ? e->n_accesses
                                                   : p->n_accesses; j-- > 0; )
      if (a[j].what & what)
         return e->accesses[j];
   return 0;
}

/* As wet_find_control(), for a transfer E, on processors where calls leave the
   return address in a register.  SP: the stack pointer behind E. */
static bool transfer_linked(DcfgWetEvents* v, Thread* t, const DcfgWetEvent* e,
                            uint64_t sp, Writer* control)
{
   const DcfgWet* w = v->w;
   const Plan* p = &w->plans[e->instr];
   bool        call = p->kind == InsnCall || p->kind == InsnIndirectCall;
   Writer      me = writer_of(e->instr, e->instance);

   if ((call && !unwind(v, e->thread, t, sp))
       || !arrive(v, t, e->instr, me, control))
      return false;
   if (call)
      return sp == 0 || activate(v, t, sp, me) != NULL;
   if (p->kind == InsnReturn)
      return unwind(v, e->thread, t, sp) && leave(v, t, sp);
   return sp == 0
          || (TOP(t->active, Activation)->place >= sp && !p->goes_back)
          || unwind(v, e->thread, t, sp + 1);
}

bool wet_find_control(DcfgWetEvents* v, const DcfgWetEvent* e, uint64_t sp,
                      Writer* control)
{
   const DcfgWet* w = v->w;
   uint8_t  kind = w->plans[e->instr].kind;
   Writer   me = writer_of(e->instr, e->instance);
   uint64_t place = 0;
   Thread*  t = thread_of(v, e->thread);

   *control = 0;
   if (t == NULL)
      return false;
   t->entering = false;
   if (!is_transfer(kind))
      return arrive(v, t, e->instr, me, control);
   if (w->machine->links)
      return transfer_linked(v, t, e, sp, control);
   if (kind == InsnCall || kind == InsnIndirectCall) {
      place = last_access(w, e, AccessStore);
      if (!unwind(v, e->thread, t, place == 0 ? 0 : place + 1))
         return false;
   } else if (kind == InsnReturn) {
      place = last_access(w, e, AccessLoad);
      if (!unwind(v, e->thread, t, place))
         return false;
   }
   if (!arrive(v, t, e->instr, me, control))
      return false;
   if (kind == InsnReturn)
      return leave(v, t, place);
   if (kind == InsnIndirectJump)
      return unwind(v, e->thread, t, sp);
   return place == 0 || activate(v, t, place, me) != NULL;
}

bool wet_control_mark(DcfgWetEvents* v, const DcfgWetEvent* e)
{
   Thread* t = thread_of(v, e->thread);

   if (t == NULL)
      return false;
   if (e->kind == DCFG_WET_HANDLER) {
      Activation* a = activate(v, t, 0, 0);
      if (a == NULL)
         return false;
      a->handler  = true;
      t->entering = true;
      return activate(v, t, UINT64_MAX, 0) != NULL;
   }
   if (e->kind == DCFG_WET_FRESH && t->entering) {
      /* The lowest address that the kernel writes has the return address. */
      Activation* a = TOP(t->active, Activation);
      if (e->addr < a->place)
         a->place = e->addr;
      if (e->addr + e->size > a[-1].place)
         a[-1].place = e->addr + e->size;
      return true;
   }
   if (e->kind == DCFG_WET_RETURN) {
      uint32_t n = (uint32_t)t->active.n;
      while (n > 1 && !ELEM(t->active, Activation, n - 1).handler)
         n--;
      while (n > 1 && t->active.n >= n)
         if (!drop(v->control, t))
            return false;
   }
   return true;
}

Writer wet_same_control(const DcfgWetEvents* v, uint32_t thread)
{
   return deciding(&ELEM(v->control->threads, Thread, thread));
}

bool wet_pass_control(DcfgWetEvents* v, const Point* p, uint32_t n_points)
{
   const DcfgWet* w = v->w;
   Thread* t = thread_of(v, v->record.thread);

   if (t == NULL)
      return false;
   t->entering = false;
   for (const Point* end = p + n_points; p < end; p++) {
      uint64_t     n  = v->instances[p->instr] + p->nth;
      Writer       me = v->namer != NULL ? 0 : writer_of(p->instr, n), control;
      DcfgWetEvent e;
      if (!is_transfer(p->kind)) {
         close_branches(t, p->instr);
         if (p->ipdom != DCFG_NONE && !open_branch(v, t, me, p->ipdom))
            return false;
         continue;
      }
      const InstrPlan* at = &w->places[ELEM(w->sbs, WetSb, v->record.sb)
                                   .instrs.first + p->place];
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
   if (TOP(t->active, Activation)->call == me)
      TOP(t->active, Activation)->call = name;
}

bool wet_control_is_nameless(const DcfgWetEvents* v, uint32_t thread)
{
   const Array*      threads = &v->control->threads;
   const Thread*     t;
   const Activation* a;

   if (thread >= threads->n || ELEM(*threads, Thread, thread).active.n == 0)
      return true;
   t = &ELEM(*threads, Thread, thread);
   a = TOP(t->active, Activation);
   for (size_t i = a->open; i < t->open.n; i++)
      if (ELEM(t->open, Open, i).branch != 0)
         return false;
   return a->call == 0;
}

uint32_t wet_control_depth(const DcfgWetEvents* v, uint32_t thread)
{
   return ELEM(v->control->threads, Thread, thread).depth;
}

/*--- The graph                                            ---*/

static bool end_threads(DcfgWetEvents* v)
{
   WetControl* c = v->control;

   for (uint32_t i = 0; i < c->threads.n; i++) {
      Thread* t = &ELEM(c->threads, Thread, i);
      while (t->active.n > 0)
         if (!drop(c, t))
            return false;
   }
   return true;
}

/* Note where the last instruction of the record leads, at AT, if it is no
   TRANSFER. */
static bool note_arcs(DcfgWetEvents* v, Thread* t, const InstrPlan* at,
                      bool transfer)
{
   uint32_t n = v->record.n_instrs - transfer;
   Writer   control;

   if (n == 0)
      return true;
   if (!arrive(v, t, at[0].instr, 0, &control)
       || !wet_graph_within(&v->control->graph, v->record.sb, n))
      return false;
   TOP(t->active, Activation)->last = at[n - 1].instr;
   return true;
}

/* Note the arcs of the present record, an execution of a superblock. */
static bool scan_record(DcfgWetEvents* v, Thread* t)
{
   const DcfgWet* w = v->w;
   const WetStep* r = &v->record;
   const InstrPlan*   at = &w->places[ELEM(w->sbs, WetSb, r->sb).instrs.first];
   const InstrPlan*   last = at + r->n_instrs - 1;
   bool           transfer = is_transfer(w->plans[last->instr].kind);
   DcfgWetEvent   e = { .thread = r->thread, .instr = last->instr };
   Writer         control;

   if (!note_arcs(v, t, at, transfer))
      return false;
   if (!transfer)
      return true;
   wet_find_accesses(v, last, &e);
   return wet_find_control(v, &e, wet_stack_pointer(v, last), &control);
}

/* Note the arcs between instructions of step R.  Arcs inside a superblock are
   noted once.  Of equal steps in a row only the last one is there. */
static bool scan_step(DcfgWetEvents* v, const WetStep* r)
{
   const DcfgWet* w = v->w;
   Thread*      t = thread_of(v, r->thread);
   DcfgWetEvent e;

   if (t == NULL)
      return false;
   if (r->sb != 0 && r->n_instrs == 0) {
      TOP(t->active, Activation)->last = w->ways[r->way].last;
      return true;
   }
   v->record = *r;
   v->addrs  = v->steps.addrs + r->first;
   if (r->sb != 0) {
      t->entering = false;
      return scan_record(v, t);
   }
   wet_take_mark(v, &e);
   return wet_control_mark(v, &e);
}

static bool scan(DcfgWetEvents* v, WetCursor* c)
{
   bool ok = true;

   while (ok && wet_next_block(c, SLOTS_OF_TRANSFERS, &v->steps))
      for (size_t i = 0; ok && i < v->steps.n_steps; i++)
         ok = scan_step(v, &v->steps.steps[i]);
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
      array_free(v->job, &t->active, sizeof(Activation));
      array_free(v->job, &t->open, sizeof(Open));
   }
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
   there: at branches, at their post-dominators, and where activations begin
   and end. */
static bool* mark_points(DcfgWetEvents* v)
{
   const DcfgWet* w = v->w;
   const WetGraph* g     = &v->control->graph;
   uint32_t        n     = GRAPH_EXIT(g) + 1;
   bool*           point = job_calloc(v->job, n, sizeof(*point));

   for (uint32_t i = 0; point != NULL && i < n; i++) {
      uint8_t kind = i < w->instrs.n ? w->plans[i].kind : InsnPlain;
      point[i] |= g->branches[i]
                  || (kind >= InsnIndirectJump && kind <= InsnReturn);
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

/* Make the graph from what C reads. */
bool wet_make_graph(DcfgWetEvents* v, WetCursor* c)
{
   WetControl* all = job_calloc(v->job, 1, sizeof(*all));
   bool        ok;

   v->control = all;
   ok = all != NULL && wet_graph_new(v->job, v->w, &all->graph) && scan(v, c);
   if (all == NULL)
      return false;
   free_threads(v);
   all->known = ok && wet_graph_finish(&all->graph) && find_points(v);
   return all->known;
}
