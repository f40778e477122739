/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stacks of calls. */

/* Owns: the active calls along a trace, for users.  Handed: events or edges.

   For events, activations.h has the rules.  Edges have no addresses of the
   stack.  So the place of an activation is the address to which its call
   returns, as a number:

   - A return ends the innermost activation that waits for its target, and all
   above it.  If none waits, the return is a jump.

   - A jump into the middle of an active function ends all activations above
   the innermost one of that function: so do longjmp and exceptions.  If the
   place is one behind a call, it is where setjmp() was called: the jump goes to
   the innermost activation in which that call has returned.

   - Any other jump to another function is a tail call: the function replaces
   the one that jumped.

   - Edges do not tell when a thread changes its stack.  But a return into the
   middle of a function that is not active shows that it does, and so does a jump
   to behind a call in one.

   - A call to the next instruction is how code learns its own address: no
   activation begins.

   - The function of a linkage table's stub is not known: the activation gets
   the one to which the stub jumps. */

#include "lib/dcfg_calls.h"
#include "format/order.h"
#include "lib/base/activations.h"
#include "lib/base/hash.h"
#include "lib/wet/wet_control.h"

#include <stdlib.h>

/* NOT_INLINE: keeps jumps within a function, most edges, short. */
#define NOT_INLINE __attribute__((noinline))

typedef
   struct {
      Activation is;
      DcfgCall   call;
   }
   Call;

/* Returned: a call of an activation has returned to a place, to which jumps of
   others lead, too. */
typedef
   struct {
      uint32_t place;
      uint32_t act;
      uint64_t number;          // the activation's
   }
   Returned;

/* EdgeRule: the rule for an edge.  EdgeNone: it leads to no block, or to the
   next instruction by a call. */
typedef
   enum {
      EdgeJump, EdgeNone, EdgeCall, EdgeReturn, EdgeHandler, EdgeHandlerReturns
   }
   EdgeRule;

struct DcfgCalls {
   Job             job;
   DcfgCallWatcher watcher;
   Activations     acts;        // Call
   ActThread*      threads;
   Array           path;        // uint32_t: activations of a stack
   uint32_t        n_threads;
   uint32_t        active, handlers;    // activations
   uint64_t        n;           // activations so far
   uint64_t        astray;      // see dcfg_calls_astray()
   bool            lost;
   DcfgWet*        w;           // or NULL: there are edges

   const DcfgProcess* p;
   DcfgCallFunctions  functions;
   uint8_t*        rules;       // by edge: EdgeRule
   uint32_t*       begins_at;   // by block: place of its begin
   uint32_t*       ends_at;
   uint32_t        n_places;
   uint32_t*       waiting;     // by place: activations that return there
   uint32_t*       running;     // by function: activations
   bool*           again;       // by place: is it one for .returned?
   bool*           lands;       // likewise, and indirect jumps lead there
   Array           returned;    // Returned
};

static inline Call* top_of(const DcfgCalls* c, const ActThread* t)
{
   return &ELEM(c->acts.acts, Call, t->act);
}

/* A gets its function. */
static inline void name(DcfgCalls* c, Call* a, uint32_t function)
{
   a->call.function = function;
   c->running[function]++;
   c->watcher.begin(c->watcher.arg, &a->call);
}

static inline void unname(DcfgCalls* c, const Call* a)
{
   if (a->call.function == DCFG_NONE)
      return;
   c->running[a->call.function]--;
   c->watcher.end(c->watcher.arg, &a->call);
}

static void begin_call(void* arg, ActThread* t, Activation* act,
                       const Transfer* by)
{
   DcfgCalls* c = arg;
   Call*      a = (Call*)act;

   a->call = (DcfgCall){ c->n++, by == NULL || act->place == NO_PLACE
                                 ? 0 : act->place + t->shift + c->acts.pushed,
                         DCFG_NONE };
   c->active++;
   if (c->w != NULL)
      c->watcher.begin(c->watcher.arg, &a->call);
   else if (act->place != NO_PLACE)
      c->waiting[act->place]++;
}

static bool end_call(void* arg, ActThread* t, const Activation* act, ActEnd how)
{
   DcfgCalls*  c = arg;
   const Call* a = (const Call*)act;

   (void)how;
   c->active--;
   c->handlers -= act->handler;
   if (c->w != NULL) {
      c->watcher.end(c->watcher.arg, &a->call);
   } else {
      unname(c, a);
      top_of(c, t)->call.number = UINT64_MAX;
      if (act->place != NO_PLACE)
         c->waiting[act->place]--;
   }
   return true;
}

/* T leaves its stack. */
static bool leave_stack(void* arg, ActThread* t, void** kept)
{
   DcfgCalls* c = arg;

   (void)kept;
   for (uint32_t id = t->act; id != 0 && c->watcher.leave != NULL; ) {
      Call* a = &ELEM(c->acts.acts, Call, id);
      c->watcher.leave(c->watcher.arg, &a->call);
      id = a->is.up;
   }
   return true;
}

static bool resume_stack(void* arg, ActThread* t, void** kept)
{
   DcfgCalls* c = arg;

   (void)kept;
   array_cut(&c->path, 0);
   if (c->watcher.resume == NULL)
      return true;
   for (uint32_t id = t->act; id != 0; id = ELEM(c->acts.acts, Call, id).is.up) {
      uint32_t* to = array_add(&c->job, &c->path, sizeof(*to));
      if (to == NULL)
         return false;
      *to = id;
   }
   for (size_t i = c->path.n; i-- > 0; )
      c->watcher.resume(c->watcher.arg,
                        &ELEM(c->acts.acts, Call,
                              ELEM(c->path, uint32_t, i)).call);
   return true;
}

static uint64_t behind(void* arg, uint32_t instr)
{
   return wet_behind(((DcfgCalls*)arg)->w, instr);
}

#define USER(c) (&(const ActUser){ &(c)->acts, sizeof(Call), begin_call, \
                                   end_call, leave_stack, resume_stack, \
                                   behind, (c) })

static bool pop(DcfgCalls* c, ActEnd how)
{
   return act_pop(USER(c), c->threads, how);
}

/* Return whether there is no room for another activation, if one BEGINS. */
static bool finds_no_room(DcfgCalls* c, bool begins)
{
   bool full = begins && c->active >= DCFG_CALLS_MOST;

   c->lost |= full;
   return full;
}

/*--- Edges                                                ---*/

static NOT_INLINE bool push(DcfgCalls* c, uint64_t place, bool handler,
                            uint32_t function)
{
   Call* a;

   if (finds_no_room(c, true))
      return true;
   if (!act_push(USER(c), c->threads, place, NULL))
      return false;
   a = top_of(c, c->threads);
   a->is.handler = handler;
   c->handlers += handler;
   if (function != DCFG_NONE)
      name(c, a, function);
   return true;
}

/*--- Places behind calls                                  ---*/

static inline bool is_active(const DcfgCalls* c, const Returned* r)
{
   return ELEM(c->acts.acts, Call, r->act).call.number == r->number;
}

/* Note that a call of the top activation has returned to PLACE. */
static bool note_return(DcfgCalls* c, uint32_t place)
{
   const Returned now = { place, c->threads->act,
                          top_of(c, c->threads)->call.number };
   Array*    all = &c->returned;
   Returned* last;

   while (all->n > 0 && !is_active(c, &ELEM(*all, Returned, all->n - 1)))
      array_pop(all);
   last = all->n == 0 ? NULL : &ELEM(*all, Returned, all->n - 1);
   if (last != NULL && last->place == place && last->act == now.act)
      return true;
   last = array_add(&c->job, all, sizeof(*last));
   if (last != NULL)
      *last = now;
   return last != NULL;
}

/* Return the innermost activation in which a call has returned to PLACE, or 0. */
static uint32_t returned_to(const DcfgCalls* c, uint32_t place)
{
   for (size_t i = c->returned.n; i > 0; i--) {
      const Returned* r = &ELEM(c->returned, Returned, i - 1);
      if (r->place == place && is_active(c, r))
         return r->act;
   }
   return 0;
}

/* Control comes to BLOCK, which is in none of the activations.  Count that if
   it is in the middle of a function. */
static inline void note_astray(DcfgCalls* c, uint32_t block)
{
   const uint32_t function = c->functions.of[block];

   c->astray += c->active > 1 && c->handlers == 0 && function != DCFG_NONE
                && !c->functions.begins[block] && c->running[function] == 0;
}

/* Jump to BLOCK of another FUNCTION than the innermost activation has. */
static NOT_INLINE bool jump_to(DcfgCalls* c, uint32_t block, uint32_t function)
{
   const uint32_t place = c->begins_at[block];
   const bool     begins = c->functions.begins[block];
   uint32_t       act;

   if (c->active == 0 && !push(c, NO_PLACE, false, DCFG_NONE))
      return false;
   act = (begins ? c->lands : c->again)[place] ? returned_to(c, place) : 0;
   if (top_of(c, c->threads)->call.function != DCFG_NONE
       && (act != 0 || (!begins && c->running[function] > 0)))
      while (act != 0 ? c->threads->act != act
                      : top_of(c, c->threads)->call.function != function)
         if (!pop(c, ActLeft))
            return false;
   if (top_of(c, c->threads)->call.function == function)
      return true;
   if (act == 0 && c->again[place])
      note_astray(c, block);
   unname(c, top_of(c, c->threads));
   name(c, top_of(c, c->threads), function);
   return true;
}

static inline bool jump(DcfgCalls* c, uint32_t block)
{
   uint32_t function = c->functions.of[block];

   return function == DCFG_NONE
          || top_of(c, c->threads)->call.function == function
          || jump_to(c, block, function);
}

static NOT_INLINE bool come_back(DcfgCalls* c, uint32_t block)
{
   uint32_t place = c->begins_at[block];

   if (c->waiting[place] > 0) {
      while (top_of(c, c->threads)->is.place != place)
         if (!pop(c, ActLeft))
            return false;
      if (!pop(c, ActReturned))
         return false;
      if (c->again[place] && c->active > 0 && !note_return(c, place))
         return false;
   } else if (!c->again[place]) {
      note_astray(c, block);
   }
   return jump(c, block);
}

static EdgeRule rule_of(const DcfgCalls* c, const DcfgEdge* e)
{
   if (e->target >= c->p->n_blocks)
      return EdgeNone;
   if (dcfg_is_call(e->type) && e->source < c->p->n_blocks)
      return c->ends_at[e->source] == c->begins_at[e->target] ? EdgeNone
                                                              : EdgeCall;
   if (e->type == DCFG_EDGE_RETURN)
      return EdgeReturn;
   if (e->type == DCFG_EDGE_CONTEXT_CHANGE)
      return EdgeHandler;
   return e->type == DCFG_EDGE_CONTEXT_CHANGE_RETURN ? EdgeHandlerReturns
                                                     : EdgeJump;
}

static NOT_INLINE bool leave_handler(DcfgCalls* c, uint32_t block)
{
   return (c->handlers == 0
           || act_handler_returns(USER(c), c->threads))
          && jump(c, block);
}

bool dcfg_calls_edge(DcfgCalls* c, uint32_t edge)
{
   const DcfgEdge* e = &c->p->edges[edge];

   switch (c->rules[edge]) {
      case EdgeJump:
         return jump(c, e->target);
      case EdgeCall:
         return push(c, c->ends_at[e->source], false,
                     c->functions.of[e->target]);
      case EdgeReturn:
         return come_back(c, e->target);
      case EdgeHandler:
         return push(c, NO_PLACE, true, c->functions.of[e->target]);
      case EdgeHandlerReturns:
         return leave_handler(c, e->target);
      default:
         return true;
   }
}

bool dcfg_calls_first(DcfgCalls* c, uint32_t block)
{
   return c->active > 0 || jump(c, block);
}

/*--- Events                                               ---*/

bool dcfg_calls_arrive(DcfgCalls* c, const DcfgWetEvent* e)
{
   ActThread* t = &c->threads[e->thread < c->n_threads ? e->thread : 0];

   return e->kind != DCFG_WET_INSTR || e->thread >= c->n_threads || t->maybe == 0
          || act_arrive(USER(c), t, e->addr);
}

bool dcfg_calls_event(DcfgCalls* c, const DcfgWetEvent* e)
{
   ActThread* t;
   Transfer   x;
   uint32_t   made;

   if (e->thread >= c->n_threads
       || finds_no_room(c, e->kind == DCFG_WET_HANDLER
                           || e->kind == DCFG_WET_CALLED))
      return true;
   t = &c->threads[e->thread];
   if (!act_begin(USER(c), t))
      return false;
   if (e->kind != DCFG_WET_INSTR)
      return act_mark(USER(c), t, e->kind,
                      (const uint64_t[]){ e->addr, e->size });
   act_runs(t);
   if (!dcfg_calls_arrive(c, e))
      return false;
   if (!is_transfer(c->w->plans[e->instr].kind)) {
      if (e->stack != 0 && c->w->plans[e->instr].loads_sp)
         act_load(&c->acts, sizeof(Call), t, e->stack_before, e->stack);
      return true;
   }
   x = wet_transfer(c->w, e->instr, e->accesses, e->n_accesses, e->stack, 0);
   return act_before(USER(c), t, &x)
          && (finds_no_room(c, x.kind != InsnReturn)
              || act_transfer(USER(c), t, &x, &made));
}

void dcfg_calls_need(const DcfgWet* w, bool* instrs)
{
   for (size_t i = 0; i < w->instrs.n; i++)
      if (is_transfer(w->plans[i].kind) || w->plans[i].loads_sp)
         instrs[i] = true;
}

/*--- Begin and end                                        ---*/

static DcfgCalls* calls_new(const DcfgCallWatcher* watcher, uint32_t n_threads,
                            uint32_t pushed, DcfgError* err)
{
   DcfgCalls* c = job_object(sizeof(*c), offsetof(DcfgCalls, job), "calls",
                             NULL, err);

   if (c == NULL)
      return NULL;
   c->job.max   = UINT64_MAX;   // DCFG_CALLS_MOST limits it
   c->watcher   = *watcher;
   c->n_threads = n_threads;
   c->threads   = job_calloc(&c->job, n_threads, sizeof(*c->threads));
   if (c->threads != NULL
       && activations_start(&c->acts, &c->job, sizeof(Call), pushed)) {
      ELEM(c->acts.acts, Call, 0).call.function = DCFG_NONE;
      return c;
   }
   job_tell(&c->job, err);
   dcfg_calls_free(c);
   return NULL;
}

DcfgCalls* dcfg_calls_of_wet(DcfgWet* w, const DcfgCallWatcher* watcher,
                             DcfgError* err)
{
   DcfgCalls* c = calls_new(watcher, (uint32_t)w->threads.n, wet_pushed(w),
                            err);

   if (c != NULL)
      c->w = w;
   return c;
}

/* Return the number of address ADDR; 0 if memory is exhausted. */
static uint32_t place_at(DcfgCalls* c, NumberMap* places, uint64_t addr)
{
   uint32_t* number = map_add(&c->job, places, addr + 1);

   if (number == NULL)
      return 0;
   if (*number == 0)
      *number = ++c->n_places;
   return *number;
}

/* Find the places behind calls to which other functions jump. */
static bool find_again(DcfgCalls* c)
{
   const DcfgProcess* p = c->p;
   bool*              behind = job_calloc(&c->job, c->n_places + 1,
                                          sizeof(bool));

   if (behind == NULL)
      return false;
   array_cut(&c->returned, 0);
   for (uint32_t i = 0; i < p->n_edges; i++)
      if (c->rules[i] == EdgeCall)
         behind[c->ends_at[p->edges[i].source]] = true;
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const DcfgEdge* e = &p->edges[i];
      uint32_t        place;
      if (c->rules[i] != EdgeJump || e->source >= p->n_blocks
          || c->functions.of[e->source] == c->functions.of[e->target])
         continue;
      place = c->begins_at[e->target];
      c->again[place] |= behind[place];
      c->lands[place] |= behind[place]
                         && e->type == DCFG_EDGE_INDIRECT_UNCONDITIONAL_BRANCH;
   }
   job_free(&c->job, behind, (c->n_places + (size_t)1) * sizeof(bool));
   return true;
}

static bool find_places(DcfgCalls* c)
{
   const DcfgProcess* p = c->p;
   NumberMap          places = { .hash = hash_key() };
   bool               ok;

   c->begins_at = job_calloc(&c->job, p->n_blocks, sizeof(uint32_t));
   c->ends_at   = job_calloc(&c->job, p->n_blocks, sizeof(uint32_t));
   ok = c->begins_at != NULL && c->ends_at != NULL;
   for (uint32_t i = 0; ok && i < p->n_blocks; i++) {
      c->begins_at[i] = place_at(c, &places, p->nodes[i].addr);
      c->ends_at[i]   = place_at(c, &places,
                                 p->nodes[i].addr + p->nodes[i].size);
      ok = c->begins_at[i] != 0 && c->ends_at[i] != 0;
   }
   map_free(&c->job, &places);
   if (!ok)
      return false;
   c->waiting = job_calloc(&c->job, c->n_places + 1, sizeof(uint32_t));
   c->running = job_calloc(&c->job, c->functions.n, sizeof(uint32_t));
   c->again   = job_calloc(&c->job, c->n_places + 1, sizeof(bool));
   c->lands   = job_calloc(&c->job, c->n_places + 1, sizeof(bool));
   c->rules   = job_calloc(&c->job, p->n_edges, sizeof(uint8_t));
   for (uint32_t i = 0; c->rules != NULL && i < p->n_edges; i++)
      c->rules[i] = (uint8_t)rule_of(c, &p->edges[i]);
   return c->waiting != NULL && c->running != NULL && c->rules != NULL
          && c->again != NULL && c->lands != NULL
          && array_add(&c->job, &c->returned, sizeof(Returned)) != NULL
          && find_again(c);
}

DcfgCalls* dcfg_calls_of_trace(const DcfgProcess* p,
                               const DcfgCallFunctions* functions,
                               const DcfgCallWatcher* watcher, DcfgError* err)
{
   DcfgCalls* c = calls_new(watcher, 1, 1, err);

   if (c == NULL)
      return NULL;
   c->p         = p;
   c->functions = *functions;
   if (find_places(c))
      return c;
   job_tell(&c->job, err);
   dcfg_calls_free(c);
   return NULL;
}

void dcfg_calls_free(DcfgCalls* c)
{
   if (c == NULL)
      return;
   activations_free(&c->acts, sizeof(Call));
   array_free(&c->job, &c->returned, sizeof(Returned));
   array_free(&c->job, &c->path, sizeof(uint32_t));
   FREE_EACH(free, c->threads, c->begins_at, c->ends_at, c->waiting, c->rules,
             c->running, c->again, c->lands, c);
}

bool dcfg_calls_end(DcfgCalls* c)
{
   for (uint32_t i = 0; i < c->n_threads; i++)
      while (c->threads[i].act != 0)
         if (!act_pop(USER(c), &c->threads[i], ActReturned))
            return false;
   return act_end_left(USER(c), &c->threads[0]);
}

const DcfgCall* dcfg_calls_top(const DcfgCalls* c, uint32_t thread)
{
   return thread >= c->n_threads || c->threads[thread].act == 0 ? NULL
          : &top_of(c, &c->threads[thread])->call;
}

uint32_t dcfg_calls_active(const DcfgCalls* c)
{
   return c->active;
}

uint64_t dcfg_calls_astray(const DcfgCalls* c)
{
   return c->astray;
}

bool dcfg_calls_lost(const DcfgCalls* c)
{
   return c->lost;
}
