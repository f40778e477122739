/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the activation of each record, chunk by chunk, in either direction; the
   question whether an instruction is control dependent on a branch, and which
   instructions depend on the same branches.  Handed: parts by slice_index.c,
   chunks by slice_chunks.c.

   activations.h has the rules.  A snapshot of all threads at the begin of a
   chunk is small, because each activation has a reference to its caller.  A
   chunk that is read again makes its activations anew.  Those still active at
   its end are then matched with the next chunk's snapshot.

   The arcs between instructions that activations meet are a graph of control.  I
   depends on B if I post-dominates a successor of B, but not B itself, or is B.
   Intervals of numbers of the post-dominator tree answer that.  Instructions
   that depend on the same branches are a group.  The key of a group is the sum
   of its branches' hashes.  This is a sum over a subtree: each arc of a branch
   counts from the arc's target up to the branch's post-dominator. */

#include "lib/slice/slice_acts.h"
#include "lib/wet/wet_control.h"
#include "lib/wet/wet_graph.h"

#include <string.h>

/*--- Who depends on a branch                              ---*/

/* Return the node behind arc K. */
static inline uint32_t target_of(const ControlGraph* c, size_t k)
{
   return (uint32_t)c->arcs[k] - 1;
}

/* Find the arcs of each node.  Arcs from the exit begin activations. */
static void find_successors(ControlGraph* c, size_t n_arcs)
{
   for (size_t k = 0; k < n_arcs; k++) {
      uint32_t from = (uint32_t)(c->arcs[k] >> 32) - 1;
      if (from == c->n - 1)
         break;
      if (c->nodes[from].n++ == 0)
         c->nodes[from].first = (uint32_t)k;
   }
}

/* Number the trees in preorder and postorder, and sum the groups on the way
   up. */
static void number_tree(ControlGraph* c, uint32_t* child, uint32_t* sibling)
{
   uint32_t  clock = 0;
   GraphNode* nodes = c->nodes;

   for (uint32_t root = 0; root < c->n; root++) {
      uint32_t at = root;
      if (c->ipdom[root] != DCFG_NONE)
         continue;
      nodes[at].pre = ++clock;
      for (;;) {
         if (child[at] != DCFG_NONE) {
            uint32_t next = child[at];
            child[at] = sibling[next];
            at = next;
            nodes[at].pre = ++clock;
            continue;
         }
         nodes[at].post = ++clock;
         if (at == root)
            break;
         c->groups[c->ipdom[at]] += c->groups[at];
         at = c->ipdom[at];
      }
   }
}

/* Add branch I to the groups of its successors, up to its post-dominator. */
static void add_to_groups(ControlGraph* c, const HashKey* key, uint32_t i)
{
   const GraphNode* node = &c->nodes[i];
   uint64_t         hash = hash_bytes(key, &i, sizeof(i));

   for (uint32_t k = node->first; k < node->first + node->n; k++) {
      c->groups[target_of(c, k)] += hash;
      if (c->ipdom[i] != DCFG_NONE)
         c->groups[c->ipdom[i]] -= hash;
   }
}

bool graph_start(ControlGraph* c, Job* job, WetIndex* ix)
{
   uint32_t  n = (uint32_t)(ix->w->instrs.n + ix->w->unexecuted.n) + 1;
   uint32_t* child   = job_nones(job, n);
   uint32_t* sibling = job_nones(job, n);
   HashKey   key = hash_key();
   bool      ok;

   *c = (ControlGraph){ .job = job, .n = n, .arcs = ix->arcs };
   c->ipdom  = job_nones(job, n);
   c->nodes  = job_calloc(job, n, sizeof(GraphNode));
   c->groups = job_calloc(job, n, sizeof(uint64_t));
   ok = child != NULL && sibling != NULL && c->ipdom != NULL
        && c->nodes != NULL && c->groups != NULL
        && (index_ipdom(ix, c->ipdom, n)
            || job_fail(job, DCFG_ERROR_FORMAT, "index", "it is damaged"));
   if (ok)
      find_successors(c, ix->n_arcs);
   for (uint32_t i = 0; ok && i < n; i++) {
      if (c->ipdom[i] != DCFG_NONE) {
         sibling[i] = child[c->ipdom[i]];
         child[c->ipdom[i]] = i;
      }
      if (graph_is_branch(c, i))
         add_to_groups(c, &key, i);
   }
   if (ok)
      number_tree(c, child, sibling);
   job_free(job, child, n * sizeof(*child));
   job_free(job, sibling, n * sizeof(*sibling));
   return ok;
}

static inline bool post_dominates(const GraphNode* a, const GraphNode* b)
{
   return a->pre <= b->pre && b->post <= a->post;
}

bool graph_depends(const ControlGraph* c, uint32_t i, uint32_t b)
{
   const GraphNode* me = &c->nodes[i];
   const GraphNode* branch = &c->nodes[b];

   if (i != b && post_dominates(me, branch))
      return false;
   for (uint32_t k = branch->first; k < branch->first + branch->n; k++) {
      uint32_t s = target_of(c, k);
      if ((s == c->n - 1 || c->ipdom[s] != DCFG_NONE)
          && post_dominates(me, &c->nodes[s]))
         return true;
   }
   return false;
}

void graph_free(ControlGraph* c)
{
   job_free(c->job, c->ipdom, c->n * sizeof(uint32_t));
   job_free(c->job, c->nodes, c->n * sizeof(GraphNode));
   job_free(c->job, c->groups, c->n * sizeof(uint64_t));
}

/*--- Activations                                          ---*/

/* Note that instruction I was the last of its activation, or a call that never
   returned. */
static bool ends(Acts* all, uint32_t i)
{
   return all->tree.keeps || i == DCFG_NONE
          || wet_graph_arc(all->graph, i, GRAPH_EXIT(all->graph));
}

static void begin_act(void* arg, ActThread* t, Activation* a,
                      const Transfer* by)
{
   (void)arg;
   (void)t;
   (void)by;
   ((Act*)a)->line = (LineState){ 0 };
}

static bool end_act(void* arg, ActThread* at, const Activation* a, ActEnd how)
{
   ThreadActs* t = (ThreadActs*)at;

   if (how == ActLeft && a->handler && t->interrupted.n > 0)
      array_pop(&t->interrupted);
   return ends(arg, a->last)
          && (how != ActLeft || ends(arg, a->call));
}

static uint64_t behind(void* arg, uint32_t instr)
{
   return wet_behind(((Acts*)arg)->code->w, instr);
}

#define USER(acts) (&(const ActUser){ &(acts)->tree, sizeof(Act), begin_act, \
                                      end_act, NULL, NULL, behind, (acts) })

static ThreadActs* thread_of(Acts* all, uint32_t thread)
{
   ThreadActs* t;

   if (thread >= all->code->w->threads.n) {
      job_fail(all->job, DCFG_ERROR_FORMAT, "tape", "there is no thread %u",
               thread);
      return NULL;
   }
   t = &all->now[thread];
   return act_begin(USER(all), &t->at) ? t : NULL;
}

/*--- Steps                                                ---*/

/* Note that I follows LAST in its activation, or begins one. */
static bool enters(Acts* all, uint32_t last, uint32_t i)
{
   return wet_graph_arc(all->graph,
                        last == DCFG_NONE ? GRAPH_EXIT(all->graph) : last, i);
}

/* Note the arcs between instructions of record R, those inside a superblock
   only once. */
static bool note_arcs(Acts* all, const WetStep* r, const InstrPlan* at,
                      ThreadActs* t)
{
   Activation* a = &act_of(all, t->at.act)->is;

   if (!enters(all, a->last, at->instr)
       || !wet_graph_within(all->graph, r->sb, r->n_instrs - 1u))
      return false;
   a->last = at[r->n_instrs - 2].instr;
   return true;
}

static bool arrive(Acts* all, ThreadActs* t, uint32_t i)
{
   Act*     a = act_of(all, t->at.act);
   uint32_t last = a->is.last;

   a->is.last = i;
   if (all->executions != NULL
       && !executions_note(all->executions, &a->line, i, all->n_ran - 1))
      return false;
   return all->tree.keeps || enters(all, last, i);
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

/* Note the loads of the stack pointer in record R of T. */
static void note_loads(Acts* all, const WetStep* r, const InstrPlan* at,
                       ThreadActs* t)
{
   for (uint32_t k = 0; k < r->n_instrs; k++) {
      const uint64_t* sp = wet_load_of_sp(&at[k], all->steps->addrs + r->first,
                                          r->n_slots);
      if (sp != NULL)
         act_load(&all->tree, sizeof(Act), &t->at, sp[0], sp[1]);
   }
}

static bool transfer(Acts* all, const WetStep* r, const InstrPlan* last,
                     ThreadActs* t, StepPlace* p)
{
   uint32_t        n;
   const uint64_t* addrs = slots_of(all->steps, r, last, &n);
   Transfer        x = wet_transfer(all->code->w, last->instr, addrs, n,
                                    stack_pointer(all, r, last), last->instr);

   if (!act_before(USER(all), &t->at, &x))
      return false;
   p->last = t->at.act;
   return arrive(all, t, last->instr)
          && act_transfer(USER(all), &t->at, &x, &p->made);
}

/* Note the record's instructions but the last one, which arrive() notes. */
static bool note_executions(Acts* all, const WetStep* r, const InstrPlan* at,
                            const SbInfo* sb, LineState* line)
{
   if (!sb->criterion && line->last == 0)
      return true;
   for (uint32_t k = 0; k + 1 < r->n_instrs; k++)
      if (!executions_note(all->executions, line, at[k].instr,
                           all->n_ran - r->n_instrs + k))
         return false;
   return true;
}

/* Note that an activation begins with instruction FIRST. */
static void note_callback(Acts* all, uint32_t act, uint32_t first)
{
   while (act != 0
          && callbacks_note(all->callbacks, first, act_of(all, act)->is.call))
      act = act_of(all, act)->is.up;
}

static bool run_step(Acts* all, const WetStep* r, StepPlace* p)
{
   const SbInfo* sb = &all->code->sbs[r->sb];
   const InstrPlan*  at = &all->code->w->places[sb->first];
   const InstrPlan*  last;
   ThreadActs*   t = thread_of(all, r->thread);

   if (t == NULL)
      return false;
   act_runs(&t->at);
   *p = (StepPlace){ .step = p->step, .body = t->at.act, .last = t->at.act,
                     .act = t->at.act, .top = t->top };
   if (t->at.maybe != 0) {
      if (!act_arrive(USER(all), &t->at, all->code->w->plans[at->instr].addr))
         return false;
      p->body = p->last = t->at.act;
   }
   all->n_ran += r->n_instrs;
   last = at + r->n_instrs - 1;
   if (sb->x87)
      move_top(all, r, at, t);
   if (!all->tree.keeps && all->callbacks->calls != NULL
       && act_of(all, t->at.act)->is.last == DCFG_NONE)
      note_callback(all, t->at.act, at->instr);
   if (all->executions != NULL
       && !note_executions(all, r, at, sb, &act_of(all, t->at.act)->line))
      return false;
   if (!all->tree.keeps && last > at && !note_arcs(all, r, at, t))
      return false;
   if (ELEM(all->code->w->sbs, WetSb, r->sb).loads_sp)
      note_loads(all, r, at, t);
   if (!is_transfer(slice_code_kind(all->code, r)))
      return (all->tree.keeps && all->executions == NULL)
             || arrive(all, t, last->instr);
   return transfer(all, r, last, t, p);
}

/* T's innermost handler begins: note what it interrupts. */
static bool interrupt(Acts* all, ThreadActs* t, StepPlace* p)
{
   Interrupted* i = array_add(all->job, &t->interrupted, sizeof(*i));

   if (all->tree.keeps && all->n_handlers >= all->returned.n)
      return job_fail(all->job, DCFG_ERROR_FORMAT, "tape",
                      "it has more handlers than before");
   if (i == NULL
       || (!all->tree.keeps
           && array_add(all->job, &all->returned, sizeof(bool)) == NULL))
      return false;
   *i = (Interrupted){ all->n_handlers, (uint8_t)t->top };
   p->body = all->n_handlers++;
   p->made = t->at.act;
   return true;
}

/* T's innermost handler returned. */
static void resume(Acts* all, ThreadActs* t)
{
   const Interrupted* i;

   t->top = 0;
   if (t->interrupted.n == 0)
      return;
   i      = &ELEM(t->interrupted, Interrupted, array_pop(&t->interrupted));
   t->top = i->top;
   ELEM(all->returned, bool, i->number) = true;
}

static bool run_mark(Acts* all, const WetStep* r, StepPlace* p)
{
   ThreadActs*     t = thread_of(all, r->thread);
   const uint64_t* words = all->steps->addrs + r->first;

   if (t == NULL)
      return false;
   *p = (StepPlace){ .step = p->step, .act = t->at.act, .top = t->top };
   if (!act_mark(USER(all), &t->at, r->mark, words))
      return false;
   if (r->mark == DCFG_WET_HANDLER)
      return interrupt(all, t, p);
   if (r->mark == DCFG_WET_RETURN)
      resume(all, t);
   if (r->mark == DCFG_WET_CALLED)
      p->made = t->at.act;
   if (r->mark == MarkTop)
      t->top = words[0] & 7;
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

/* Copy FROM, of LeftStack, to TO, which is empty. */
static bool copy_left(Acts* all, Array* to, const Array* from)
{
   void* copy;

   array_cut(to, 0);
   if (from->n == 0)
      return true;
   copy = array_add_n(all->job, to, sizeof(LeftStack), from->n);
   if (copy != NULL)
      memcpy(copy, from->data, from->n * sizeof(LeftStack));
   return copy != NULL;
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
      act_of(all, s->threads[i].at.act)->is.refs++;
   }
   if (!copy_left(all, &s->left, &all->tree.left))
      return false;
   for (size_t i = 0; i < s->left.n; i++)
      act_of(all, ELEM(s->left, LeftStack, i).act)->is.refs++;
   return true;
}

static bool run_at(Acts* all, uint32_t i, StepPlace* p)
{
   const WetStep* r = &all->steps->steps[i];

   p->step = i;
   return r->sb != 0 ? run_step(all, r, p) : run_mark(all, r, p);
}

/* Steps between the prefetch of a step's slots and its run. */
#define AHEAD 16

/* Note that R, the last step that was passed, is the last one of its activation so
   far. */
static void note_passed(Acts* all, const WetStep* r)
{
   act_of(all, all->now[r->thread].at.act)->is.last
      = all->code->w->ways[r->way].last;
}

/* Run all steps, in the first pass, but those whose arcs are noted. */
static bool run_steps(Acts* all)
{
   const WetSteps* steps = all->steps;
   StepPlace       here;

   for (size_t i = 0; i < steps->n_steps; i++) {
      size_t first = i;
      if (all->before != NULL)
         i = wet_pass_known(all->code->w->ways, all->before, steps, i);
      if (i > first)
         note_passed(all, &steps->steps[i - 1]);
      if (i < steps->n_steps && !run_at(all, (uint32_t)i, &here))
         return false;
   }
   return true;
}

/* Run step I, behind that of turn K, if it is no turn and its thread's stack may
   have moved. */
static bool run_moved(Acts* all, size_t k, uint32_t i)
{
   const WetSteps* steps = all->steps;
   StepPlace*      p;

   if (i >= steps->n_steps || steps->steps[i].sb == 0
       || all->now[steps->steps[i].thread].at.maybe == 0
       || (k + 1 < steps->n_turns && steps->turns[k + 1] == i))
      return true;
   p = array_add(all->job, &all->places, sizeof(*p));
   return p != NULL && run_at(all, i, p)
          && array_reserve(all->job, &all->places, sizeof(StepPlace),
                           steps->n_turns - k);
}

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
      wet_prefetch_slots(steps, steps->turns[ahead]);
      if (!run_at(all, steps->turns[k], p)
          || !run_moved(all, k, steps->turns[k] + 1))
         return false;
   }
   return true;
}

/* Note the ends of all that are still active. */
static bool end_acts(Acts* all, uint32_t act)
{
   for (; act != 0; act = act_of(all, act)->is.up)
      if (!ends(all, act_of(all, act)->is.last))
         return false;
   return true;
}

static bool end_threads(Acts* all)
{
   for (uint32_t i = 0; i < all->code->w->threads.n; i++)
      if (!end_acts(all, all->now[i].at.act))
         return false;
   for (size_t i = 0; i < all->tree.left.n; i++)
      if (!end_acts(all, ELEM(all->tree.left, LeftStack, i).act))
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
   if (graph != NULL && executions == NULL
       && (all->before = job_calloc(all->job, code->w->n_ways + (size_t)1,
                                         sizeof(uint32_t))) == NULL)
      return false;
   return all->now != NULL
          && activations_start(&all->tree, all->job, sizeof(Act),
                               wet_pushed(code->w));
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
   all->tree.keeps = true;
   return true;
}

static void free_thread(Acts* all, ThreadActs* p)
{
   array_free(all->job, &p->interrupted, sizeof(Interrupted));
}

/* Note the new numbers of activation THEN, which is now NOW, and of its
   callers. */
static bool match_callers(Acts* all, uint32_t then, uint32_t now)
{
   while (then != 0 && now != 0 && then != now) {
      Renamed* r = array_add(all->job, &all->renamed, sizeof(*r));
      if (r == NULL)
         return false;
      *r   = (Renamed){ then, now };
      then = act_of(all, then)->is.up;
      now  = act_of(all, now)->is.up;
   }
   return true;
}

/* Match the activations at the end of CHUNK, which was read again, with those
   of the snapshot behind it, and note the new numbers. */
static bool match_acts(Acts* all, uint32_t chunk)
{
   Snapshot* s = &ELEM(all->snapshots, Snapshot, chunk + 1);

   array_cut(&all->renamed, 0);
   for (uint32_t i = 0; i < all->code->w->threads.n; i++) {
      if (!match_callers(all, s->threads[i].at.act, all->now[i].at.act))
         return false;
      act_release(&all->tree, sizeof(Act), s->threads[i].at.act);
      free_thread(all, &s->threads[i]);
   }
   for (size_t i = 0; i < s->left.n; i++) {
      const uint32_t then = ELEM(s->left, LeftStack, i).act;
      if (i < all->tree.left.n
          && !match_callers(all, then, ELEM(all->tree.left, LeftStack, i).act))
         return false;
      act_release(&all->tree, sizeof(Act), then);
   }
   array_free(all->job, &s->left, sizeof(LeftStack));
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
   array_cut(&all->tree.made, 0);
   return copy_left(all, &all->tree.left, &s->left)
          && (all->executions != NULL ? run_steps(all) : run_turns(all))
          && match_acts(all, chunk);
}

/* Free the activations that began in the chunk. */
void acts_leave_chunk(Acts* all)
{
   activations_free_made(&all->tree, sizeof(Act));
}

void acts_free(Acts* all)
{
   uint32_t n = all->code == NULL ? 0 : (uint32_t)all->code->w->threads.n;

   for (size_t c = 0; c < all->snapshots.n; c++) {
      ThreadActs* p = ELEM(all->snapshots, Snapshot, c).threads;
      for (uint32_t i = 0; p != NULL && i < n; i++)
         free_thread(all, &p[i]);
      job_free(all->job, p, n * sizeof(ThreadActs));
      array_free(all->job, &ELEM(all->snapshots, Snapshot, c).left,
                 sizeof(LeftStack));
   }
   array_free(all->job, &all->snapshots, sizeof(Snapshot));
   for (uint32_t i = 0; all->now != NULL && i < n; i++)
      free_thread(all, &all->now[i]);
   job_free(all->job, all->now, (n + (size_t)1) * sizeof(ThreadActs));
   if (all->before != NULL)
      job_free(all->job, all->before,
               (all->code->w->n_ways + (size_t)1) * sizeof(uint32_t));
   array_free(all->job, &all->places, sizeof(StepPlace));
   activations_free(&all->tree, sizeof(Act));
   array_free(all->job, &all->renamed, sizeof(Renamed));
   array_free(all->job, &all->returned, sizeof(bool));
}
