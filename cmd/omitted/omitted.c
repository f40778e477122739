/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stores that did not run, but could have changed a value that a slice used. */

/* Owns: the judgement whether a branch instance kept a store from changing a
   value.  Handed: a slice that keeps instances, values of the run.

   The dependences are implicit ones, as in T. Gyimothy, A. Beszedes and I.
   Forgacs: An Efficient Relevant Slicing Method for Debugging (1999), and X.
   Zhang, S. Tallam, N. Gupta and R. Gupta: Towards Locating Execution Omission
   Errors (2007).  A branch instance counts under three conditions.  It ran
   after a location was written and before it was used.  Its sides had met by
   then.  The side that it did not take stores to the location.

   sides.c finds the stores, and branch_log.c the instances.  A store over a
   pointer has an address only if it runs.  To find the address that it would
   have had, the shortest way from the branch to the store is executed here,
   with the values that registers and memory had at the branch.  Moves,
   additions and addresses are computed; the result of any other instruction
   is unknown.  The run is asked for a few values only, since each costs a
   search.  Without an address, the store may count if it names the same
   member or array as the user. */

#include "cmd/omitted/omitted.h"
#include "cmd/omitted/sides.h"

#include "cmd/machine/processor.h"
#include "cmd/program/recording.h"

/*--- Values on the other side                             ---*/

/* OtherSide: a branch instance, for the execution of its other side. */
typedef
   struct {
      const StaticCode* c;
      OmittedValue value;       // returns values at the branch
      void*        arg;
      uint32_t     instr;       // the branch
      uint64_t     instance;
      uint64_t     frame;       // call frame address at the branch, or 0
      unsigned     left;        // number of values that may still be asked
   }
   OtherSide;

#define LONGEST_WAY 200         // instructions
#define MOST_CELLS  64          // stores on the way
/* Call frame address of a function that was not called: no memory of the run
   is near it. */
#define OTHER_FRAME UINT64_C(0xFFFF800000000000)

typedef
   struct {
      bool     asked, known;
      uint64_t value;
   }
   Known;

/* Cell: memory that the way has stored. */
typedef
   struct {
      uint64_t addr, size;
      Known    content;
   }
   Cell;

/* State: registers and memory while the way is executed. */
typedef
   struct {
      OtherSide* o;
      Known      registers[MAX_GENERAL];
      Cell       cells[MOST_CELLS];
      unsigned   n_cells;
      bool       lost;          // a store had an unknown address
      bool       called;        // the way is in a called function
      uint64_t   word;
   }
   State;

static const Known unknown = { .asked = true };

static Known known(uint64_t value)
{
   return (Known){ true, true, value };
}

static Known value_of(State* z, unsigned reg)
{
   Known* r = &z->registers[reg];

   if (!r->asked) {
      r->asked = true;
      if (z->o->left > 0) {
         z->o->left--;
         r->known = z->o->value(z->o->arg, z->o->instr, z->o->instance, reg, 0,
                                &r->value);
      }
   }
   return *r;
}

static Known sum(Known a, Known b)
{
   uint64_t value = a.value + b.value;

   if (!a.known || !b.known)
      return unknown;
   /* The addition may be one of 32 bits. */
   if (a.value >> 32 == 0 && value >= INT32_MAX)
      return unknown;
   return known(value);
}

static Known address_of(State* z, uint32_t n, const MemoryOperand* m)
{
   Known   a = known((uint64_t)m->disp), b;
   int64_t offset;

   if (m->segment)
      return unknown;
   if (operand_in_frame(z->o->c, n, m, &offset)) {
      uint64_t frame = z->called ? OTHER_FRAME : z->o->frame;
      if (frame != 0)
         return known(frame + (uint64_t)offset);
   }
   if (m->base != NO_REGISTER) {
      b = value_of(z, m->base);
      if (!b.known)
         return unknown;
      a.value += b.value;
   }
   if (m->index != NO_REGISTER) {
      b = value_of(z, m->index);
      if (!b.known)
         return unknown;
      a.value += b.value * m->scale;
   }
   if (z->word == 4)
      a.value = (uint32_t)a.value;
   return a;
}

static Known load(State* z, uint64_t addr, uint64_t size)
{
   uint64_t value;

   if (size > 8)
      return unknown;
   for (unsigned i = z->n_cells; i-- > 0; ) {
      const Cell* c = &z->cells[i];
      if (c->addr == addr && c->size == size)
         return c->content;
      if (c->addr < addr + size && addr < c->addr + c->size)
         return unknown;
   }
   if (z->lost || z->o->left == 0
       || (addr >= OTHER_FRAME - (1 << 20) && z->word == 8))
      return unknown;
   z->o->left--;
   if (!z->o->value(z->o->arg, z->o->instr, z->o->instance, addr, size, &value))
      return unknown;
   /* A narrow value may be extended with its sign. */
   return size < z->word && value >> (8 * size - 1) ? unknown : known(value);
}

/* Forget all contents of memory. */
static void lose(State* z)
{
   z->lost    = true;
   z->n_cells = 0;
}

static void store(State* z, uint64_t addr, uint64_t size, Known content)
{
   if (z->n_cells == MOST_CELLS) {
      lose(z);
      return;
   }
   z->cells[z->n_cells++] = (Cell){ addr, size, content };
}

/*--- Instructions of the other side                       ---*/

static Known result_of(State* z, uint32_t n, const InstrEffect* e)
{
   Known a;

   switch (e->kind) {
      case EFFECT_COPY:
         return value_of(z, e->from);
      case EFFECT_LOAD:
         a = address_of(z, n, &e->memory[0]);
         return a.known ? load(z, a.value, e->memory[0].size) : unknown;
      case EFFECT_ADDRESS:
         return address_of(z, n, &e->memory[0]);
      case EFFECT_ADD:
         return sum(value_of(z, e->to), value_of(z, e->from));
      case EFFECT_ADD_NUMBER:
         return sum(value_of(z, e->to), known((uint64_t)e->number));
      case EFFECT_TIMES:
         a = value_of(z, e->from);
         a.value *= (uint64_t)e->number;
         return a.value < INT32_MAX ? a : unknown;
      default:
         return unknown;
   }
}

static void execute(State* z, uint32_t n)
{
   const Processor* p = processor_of(z->o->c->w);
   InstrEffect      e;
   Known            result;

   if (!code_effect(z->o->c, n, &e)) {
      lose(z);
      return;
   }
   for (unsigned k = 0; k < e.n_memory; k++) {
      Known a, content = unknown;
      if (!e.memory[k].written)
         continue;
      a = address_of(z, n, &e.memory[k]);
      if (e.kind == EFFECT_STORE)
         content = value_of(z, e.from);
      else if (e.kind == EFFECT_STORE_NUMBER)
         content = known((uint64_t)e.number);
      if (a.known)
         store(z, a.value, e.memory[k].size, content);
      else
         lose(z);
   }
   result = e.to == NO_REGISTER ? unknown : result_of(z, n, &e);
   for (unsigned r = 0; r < MAX_GENERAL; r++)
      if (e.written >> r & 1)
         z->registers[r] = r == e.to && e.kind != EFFECT_OTHER ? result
                           : unknown;
   if (!e.call)
      return;
   /* A call may change any memory, and registers that the callee does not
      keep. */
   lose(z);
   for (unsigned r = 0; r < MAX_GENERAL; r++)
      if (!(p->kept >> r & 1))
         z->registers[r] = unknown;
}

/*--- The way to the store                                 ---*/

/* Put the nodes of the shortest way from BEGIN to END, both included, into
   WAY.  Return their number; 0 if there is no way, or only a longer one than
   LONGEST_WAY. */
static size_t find_way(const StaticCode* code, uint32_t begin, uint32_t end,
                       uint32_t* way)
{
   uint32_t* from = zalloc(code->n + (size_t)1, sizeof(*from));
   uint32_t* todo = zalloc(code->n + (size_t)1, sizeof(*todo));
   size_t    n = 0, length = 0;

   todo[n++]   = begin;
   from[begin] = begin + 1;
   for (size_t i = 0; i < n && from[end] == 0; i++)
      for (uint32_t k = 0; k < code->nodes[todo[i]].n; k++) {
         uint32_t to = code_successor(code, todo[i], k);
         if (from[to] != 0)
            continue;
         from[to]  = todo[i] + 1;
         todo[n++] = to;
      }
   for (uint32_t at = end; from[end] != 0; at = from[at] - 1) {
      length++;
      if (at == begin || length > LONGEST_WAY)
         break;
   }
   if (length > LONGEST_WAY)
      length = 0;
   for (size_t i = length, at = end; i-- > 0; at = from[at] - 1)
      way[i] = (uint32_t)at;
   FREE_ALL(from, todo);
   return length;
}

/* Execute the shortest way from BEGIN to the node before END.  Return false
   if there is none.  Clear *SURE if the way has a branch. */
static bool execute_way(State* z, uint32_t begin, uint32_t end, bool* sure)
{
   uint32_t way[LONGEST_WAY];
   size_t   n = find_way(z->o->c, begin, end, way);

   for (size_t i = 0; i + 1 < n; i++) {
      *sure &= z->o->c->nodes[way[i]].n < 2;
      execute(z, way[i]);
   }
   return n > 0;
}

/* Set *ADDR to the address that store S would have had.  Return false if it
   is not known.  Set *SURE to whether every way to S leads to this address. */
static bool other_side_address(OtherSide* o, const SideStore* s, uint64_t* addr,
                        bool* sure)
{
   State       z = { .o = o, .word = dcfg_wet_instr(o->c->w,
                                                    o->instr)->address_size };
   InstrEffect e;
   Known       a = unknown;

   *sure = true;
   if (!execute_way(&z, s->side, s->call != NO_NODE ? s->call : s->store, sure))
      return false;
   if (s->call != NO_NODE) {
      const Processor* p = processor_of(o->c->w);
      z.called = true;
      z.registers[p->stack] = z.registers[p->frame] = unknown;
      if (!execute_way(&z, o->c->nodes[s->call].callee, s->store, sure))
         return false;
   }
   if (!code_effect(o->c, s->store, &e))
      return false;
   for (unsigned k = 0; k < e.n_memory && !a.known; k++)
      if (e.memory[k].written)
         a = address_of(&z, s->store, &e.memory[k]);
   *addr = a.value;
   return a.known;
}

/*--- The finder                                           ---*/

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
   own      = own_code_find(t->program->w, t->own, t->totals);
   f->code = code_graph_new(t->program, own.executed, own.seeds, own.n_seeds);
   own_code_free(&own);
   f->executed = zalloc(dcfg_wet_instrs(t->program->w) + (size_t)1, sizeof(uint64_t));
   for (uint32_t i = 0; i < dcfg_wet_instrs(t->program->w); i++)
      f->executed[i] = t->totals[i].executed;
   return f;
}

void omitted_free(OmittedFinder* f)
{
   if (f == NULL)
      return;
   branch_log_free(f->log);
   code_graph_free(f->code);
   FREE_ALL(f->executed, f->places, f);
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
          && code_variable(z->f->t.program, (uint64_t)m->disp, w->to, &low,
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

   if (is_of_system(dcfg_wet_instr(f->t.program->w, branch->instr)->source))
      return true;
   code_line(f->t.program, branch->near, f->code->nodes[s->store].addr, &source);
   return is_of_system(source);
}

/*--- All stores                                           ---*/

/* Order in which omissions with the same store, place and branch stand
   together.  Of these only the one with the nearest user stays. */
COMPARE(by_store, Omitted, UP(store) ?: UP(branch.addr) ?: UP(place)
        ?: UP(maybe) ?: UP(node))

static void keep_nearest(OmittedList* l, const DcfgSlice* slice)
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
             && slice->nodes[l->all[k].node].distance
                < slice->nodes[best.node].distance)
            best = l->all[k];
      l->all[n++] = best;
   }
   l->n = n;
   /* The nearest user comes first, then stores that never ran, then certain
      ones.  The list is short: sort it by insertion. */
   for (size_t i = 1; i < n; i++) {
      Omitted  o = l->all[i];
      uint32_t distance = slice->nodes[o.node].distance;
      size_t   k = i;
      for (; k > 0; k--) {
         const Omitted* before = &l->all[k - 1];
         uint32_t       at = slice->nodes[before->node].distance;
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

OmittedList omitted_find(OmittedFinder* f, const DcfgSlice* slice,
                         const DcfgSliceQuery* q, const uint32_t* nodes,
                         size_t n)
{
   OmittedList l = { .n = 0 };
   Wants       wants;
   Search      z = { .f = f, .wants = &wants, .store = NO_NODE };
   SideStores  stores;

   if (processor_of(f->t.program->w)->tell_effect == NULL) {
      l.bounded = "none of programs for this processor";
      return l;
   }
   if (f->t.n_executed > MOST_FOR_PASSES) {
      l.bounded = "none of a run with more than 50,000,000 instructions";
      return l;
   }
   f->places_left = MOST_PLACES_ASKED;
   wants  = wants_find(f->code, slice, q, nodes, n);
   stores = side_stores_find(f->code, &wants);
   SORT(stores.all, stores.n, by_want);
   if (f->log != NULL && !branch_log_has(f->log, &wants, &stores)) {
      branch_log_free(f->log);
      f->log = NULL;
   }
   if (f->log == NULL && stores.n > 0)
      f->log = branch_log_new(f->code, &wants, &stores, f->executed);
   for (size_t i = 0; i < stores.n && f->log != NULL; i++) {
      Verdict         verdict;
      const LogEntry* r = is_of_header(f, &stores.all[i]) ? NULL
                          : find_instance(&z, &stores.all[i], &verdict);
      if (r != NULL)
         add_omitted(&z, &l, &stores.all[i], r, verdict == IS_MAYBE);
   }
   keep_nearest(&l, slice);
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
   FREE_ALL(wants.all, stores.all);
   return l;
}

void omitted_list_free(OmittedList* l)
{
   free(l->all);
}
