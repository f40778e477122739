/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stores that did not run. */

/* Owns: which stores could have changed a value that a slice used, if a
   branch had gone the other way.  Handed: a slice that keeps instances.

   Implicit dependences as in T. Gyimothy, A. Beszedes and I. Forgacs: An
   Efficient Relevant Slicing Method for Debugging (1999), and X. Zhang, S.
   Tallam, N. Gupta and R. Gupta: Towards Locating Execution Omission Errors
   (2007).  A branch instance counts if it ran after a location was written and
   before it was used, its sides had met by then, and the side that it did not
   take stores to the location. */

#include "cmd/omitted/omitted.h"

#include "cmd/base/cmd.h"
#include "cmd/machine/processor.h"
#include "cmd/omitted/branch_log.h"
#include "cmd/omitted/other_side.h"
#include "cmd/omitted/own_code.h"
#include "cmd/shared/wet_program.h"

#include <stdlib.h>

#define MOST_PLACES_ASKED 48    // addresses that stores over pointers have
#define MOST_VALUES_ASKED 6     // values of the run for one such address
#define MOST_FOR_VALUES   UINT64_C(20000000)    // instructions of a run
                                // whose values are asked for
#define MOST_FOR_PASSES   UINT64_C(50000000)
#define MOST_TRIED        512  // instances of a branch

/* StorePlace: the address that a store on the other side of a branch
   instance would have had. */
typedef
   struct {
      uint32_t branch, side, store, call;
      uint64_t instance;
      uint64_t addr;
      bool     known, sure;
   }
   StorePlace;

struct OmittedFinder {
   OmittedTrace t;
   Variables*   names;
   StaticCode*  code;
   uint64_t*    executed;       // instances, by instruction
   BranchLog*   log;            // kept from earlier questions; or NULL
   StorePlace*  places;         // kept, too
   size_t       n_places, places_room;
   unsigned     places_left;
};

OmittedFinder* omitted_new(const OmittedTrace* t)
{
   OmittedFinder* f = zalloc(1, sizeof(*f));
   OwnCode        own;

   f->t     = *t;
   f->names = variables_new(t->w, t->root);
   own      = own_code_find(t->w, t->own, t->totals);
   f->code  = code_graph_new(t->w, f->names, t->root, own.executed, own.seeds,
                              own.n_seeds);
   own_code_free(&own);
   f->executed = zalloc(dcfg_wet_instrs(t->w) + (size_t)1, sizeof(uint64_t));
   for (uint32_t i = 0; i < dcfg_wet_instrs(t->w); i++)
      f->executed[i] = t->totals[i].executed;
   return f;
}

void omitted_free(OmittedFinder* f)
{
   if (f == NULL)
      return;
   branch_log_free(f->log);
   code_graph_free(f->code);
   variables_free(f->names);
   free(f->executed);
   free(f->places);
   free(f);
}

/*--- One store                                            ---*/

typedef enum { IS_NOT, IS_MAYBE, IS_SURE } Verdict;

typedef
   struct {
      OmittedFinder*   f;
      const Wants*     wants;
      uint32_t         store;   // .effect is of this node
      InstrEffect      effect;
   }
   Search;

static bool overlaps(const Want* w, uint64_t addr, uint64_t size)
{
   return addr < w->place + w->size && w->place < addr + size;
}

/* Return the operand that node STORE writes, or NULL. */
static const MemoryOperand* stored_operand(Search* z, uint32_t store)
{
   if (z->store != store) {
      z->store = store;
      if (!code_effect(z->f->code, store, &z->effect))
         z->effect.n_memory = 0;
   }
   for (unsigned k = 0; k < z->effect.n_memory; k++)
      if (z->effect.memory[k].written)
         return &z->effect.memory[k];
   return NULL;
}

/* Return whether S may store to W, if the address of S is not known.  It may
   if both name the same member behind a pointer, or if W is within the array
   that S indexes. */
static bool looks_like(Search* z, const SideStore* s, const Want* w)
{
   const MemoryOperand* m = stored_operand(z, s->store);
   uint64_t             low, high;

   if (m == NULL || m->size != w->size)
      return false;
   if (m->index == NO_REGISTER)
      return w->based && w->offset == m->disp;
   return m->base == NO_REGISTER
          && code_variable(z->f->code->names, (uint64_t)m->disp, w->to, &low,
                           &high)
          && w->place >= low && w->place < high;
}

/* Return the address of store S if its branch had gone the other way in its
   instance R.  Return NULL if too many were asked for. */
static const StorePlace* place_of(Search* z, const SideStore* s,
                                  const LogEntry* r)
{
   OmittedFinder* f = z->f;
   StorePlace     p = { .branch = s->branch, .side = s->side,
                        .store = s->store, .call = s->call,
                        .instance = r->instance };
   OtherSide      o = { .c = f->code, .value = f->t.value, .arg = f->t.arg,
                        .instr = f->code->nodes[s->branch].instr,
                        .instance = r->instance,
                        .frame = branch_log_frame(f->log, r->activation),
                        .left = MOST_VALUES_ASKED };

   for (size_t i = 0; i < f->n_places; i++) {
      const StorePlace* k = &f->places[i];
      if (k->store == p.store && k->branch == p.branch && k->side == p.side
          && k->call == p.call && k->instance == p.instance)
         return k;
   }
   if (f->places_left == 0)
      return NULL;
   f->places_left--;
   p.known = other_side_address(&o, s, &p.addr, &p.sure);
   GROW(f->places, f->n_places, f->places_room);
   f->places[f->n_places++] = p;
   return &f->places[f->n_places - 1];
}

/* Return whether store S would have written W if its branch had gone the
   other way in its instance R. */
static Verdict judge_place(Search* z, const SideStore* s, const Want* w,
                           const LogEntry* r)
{
   const MemoryOperand* m = stored_operand(z, s->store);
   uint64_t             size = m == NULL ? 0 : m->size;
   const StorePlace*    p = NULL;

   if (s->in_frame) {
      uint64_t frame = branch_log_frame(z->f->log, r->activation);
      return frame != 0 && overlaps(w, frame + (uint64_t)s->offset, size)
             ? IS_SURE : IS_NOT;
   }
   if (z->f->t.value != NULL && z->f->t.n_executed <= MOST_FOR_VALUES)
      p = place_of(z, s, r);
   if (p != NULL && p->known)
      return !overlaps(w, p->addr, size) ? IS_NOT : p->sure ? IS_SURE
             : IS_MAYBE;
   return looks_like(z, s, w) ? IS_MAYBE : IS_NOT;
}

static Verdict judge(Search* z, const SideStore* s, const Want* w,
                     const LogEntry* r)
{
   Verdict v = IS_SURE;

   if (!w->memory) {
      const LogEntry* user = branch_log_before(z->f->log, w->at, w->to + 1);
      if (user == NULL || user->order != w->to
          || user->activation == NO_ACTIVATION
          || user->activation != r->activation)
         return IS_NOT;
   } else if (!s->located) {
      v = judge_place(z, s, w, r);
   }
   return v == IS_SURE && !s->sure ? IS_MAYBE : v;
}

/* Return the last instance of S's branch that counts, and set *VERDICT; or
   return NULL. */
static const LogEntry* find_instance(Search* z, const SideStore* s,
                                     Verdict* verdict)
{
   const Want*     w = &z->wants->all[s->want];
   const LogEntry* r = branch_log_before(z->f->log, s->branch, w->to);

   for (unsigned n = 0; r != NULL && r->order > w->from && n < MOST_TRIED;
        n++, r = branch_log_previous(z->f->log, s->branch, r)) {
      if (r->taken == NO_NODE || r->taken == s->side
          || !branch_log_is_over(z->f->log, s->branch, r, w->to))
         continue;
      *verdict = judge(z, s, w, r);
      if (*verdict != IS_NOT)
         return r;
      if (!s->in_frame && w->memory)
         return NULL;
   }
   return NULL;
}

static void add_omitted(Search* z, OmittedList* l, const SideStore* s,
                        const LogEntry* r, bool maybe)
{
   const StaticCode* c = z->f->code;
   const Want*       w = &z->wants->all[s->want];
   const CodeNode*   branch = &c->nodes[s->branch];
   Omitted           o = { .node = w->node, .memory = w->memory,
                           .asked = w->asked,
                           .place = w->place, .size = w->size,
                           .since = w->from,
                           .store = c->nodes[s->store].addr,
                           .call = s->call == NO_NODE ? 0
                                   : c->nodes[s->call].addr,
                           .near = branch->near,
                           .again = c->nodes[s->store].instr != NO_NODE,
                           .turn = s->turn, .maybe = maybe };

   o.branch = (OmittedBranch){ branch->instr, r->instance, branch->addr,
                               c->nodes[s->side].addr,
                               c->nodes[r->taken].addr };
   GROW(l->all, l->n, l->room);
   l->all[l->n++] = o;
}

/* Return whether a header of the distribution has the branch or the store of
   S.  The program does not decide about such code, as about a library's. */
static bool is_of_header(const OmittedFinder* f, const SideStore* s)
{
   const CodeNode* branch = &f->code->nodes[s->branch];
   const char*     source = NULL;

   if (is_of_system(dcfg_wet_instr(f->t.w, branch->instr)->source))
      return true;
   code_line(f->names, branch->near, f->code->nodes[s->store].addr, &source);
   return is_of_system(source);
}

/*--- All                                                  ---*/

/* Order in which omissions with the same store, place and branch stand
   together.  Of these only the one with the nearest user stays. */
COMPARE(by_store, Omitted, UP(store) ?: UP(branch.addr) ?: UP(place)
        ?: UP(maybe) ?: UP(node))

static void keep_nearest(OmittedList* l, const DcfgSlice* s)
{
   size_t n = 0;

   if (l->n == 0)
      return;
   qsort(l->all, l->n, sizeof(*l->all), by_store);
   for (size_t i = 0, k; i < l->n; i = k) {
      Omitted best = l->all[i];
      for (k = i + 1; k < l->n && l->all[k].store == best.store
           && l->all[k].branch.addr == best.branch.addr
           && l->all[k].place == best.place; k++)
         if (l->all[k].maybe == best.maybe
             && s->nodes[l->all[k].node].distance
                < s->nodes[best.node].distance)
            best = l->all[k];
      l->all[n++] = best;
   }
   l->n = n;
   /* The nearest user comes first, then stores that never ran, then certain
      ones.  The list is short: sort it by insertion. */
   for (size_t i = 1; i < n; i++) {
      Omitted  o = l->all[i];
      uint32_t distance = s->nodes[o.node].distance;
      size_t   k = i;
      for (; k > 0; k--) {
         const Omitted* before = &l->all[k - 1];
         uint32_t       at = s->nodes[before->node].distance;
         if (at < distance
             || (at == distance
                 && 2 * before->again + before->maybe <= 2 * o.again + o.maybe))
            break;
         l->all[k] = *before;
      }
      l->all[k] = o;
   }
}

/* Order of stores: those of the nearest wants first, because only some
   addresses are computed. */
COMPARE(by_want, SideStore, UP(want) ?: UP(branch) ?: UP(side) ?: UP(call)
        ?: UP(store))

OmittedList omitted_find(OmittedFinder* f, const DcfgSlice* s,
                         const DcfgSliceQuery* q, const uint32_t* nodes,
                         size_t n)
{
   OmittedList l = { .n = 0 };
   Wants       wants;
   Search      z = { .f = f, .wants = &wants, .store = NO_NODE };
   SideStores  stores;

   if (processor_of(f->t.w)->tell_effect == NULL) {
      l.bounded = "none of programs for this processor";
      return l;
   }
   if (f->t.n_executed > MOST_FOR_PASSES) {
      l.bounded = "none of a run with more than 50,000,000 instructions";
      return l;
   }
   f->places_left = MOST_PLACES_ASKED;
   wants  = wants_find(f->code, s, q, nodes, n);
   stores = side_stores_find(f->code, &wants);
   if (stores.n > 0)
      qsort(stores.all, stores.n, sizeof(*stores.all), by_want);
   if (f->log != NULL && !branch_log_has(f->log, &wants, &stores)) {
      branch_log_free(f->log);
      f->log = NULL;
   }
   if (f->log == NULL && stores.n > 0)
      f->log = branch_log_new(f->code, f->t.file, &wants, &stores,
                              f->executed);
   for (size_t i = 0; i < stores.n && f->log != NULL; i++) {
      Verdict         verdict;
      const LogEntry* r = is_of_header(f, &stores.all[i]) ? NULL
                          : find_instance(&z, &stores.all[i], &verdict);
      if (r != NULL)
         add_omitted(&z, &l, &stores.all[i], r, verdict == IS_MAYBE);
   }
   keep_nearest(&l, s);
   if (f->code->bounded)
      l.bounded = "the first 400,000 instructions of the program's code";
   else if (wants.bounded)
      l.bounded = "the 20,000 nearest uses of a place";
   else if (stores.n > 0 && f->log != NULL && branch_log_is_bounded(f->log))
      l.bounded = "the last 65,536 instances of each branch";
   else if (stores.bounded != NULL)
      l.bounded = stores.bounded;
   else if (wants.vectors)
      l.bounded = "no values in vector and x87 registers";
   free(wants.all);
   free(stores.all);
   return l;
}

void omitted_list_free(OmittedList* l)
{
   free(l->all);
}
