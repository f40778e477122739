/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Stores on the sides of branches to locations that a slice used. */

/* Owns: the locations that a slice's instances used, the code that a branch
   decides about, and the stores there.  Handed: the graph of the code, a slice
   that keeps instances.

   A wanted location is memory or a general register that an instance of the
   slice used, with the times of its writer and of its user.  A store between
   the two would have given the user another value.

   A side of a branch is the code from one successor up to the branch's
   immediate post-dominator.  Calls are followed one level.  A store on a side
   matches a wanted location if it writes the same register or address, or the
   same offset in the same function's frame.  A store over a pointer may match
   any location: for the nearest ones it is kept as a guess, which omitted.c
   judges.

   Control on a side certainly comes to a store under two conditions.  The
   store post-dominates the begin of the side.  Control cannot stay on the way:
   there is no loop, and no call that may not return. */

#include "cmd/omitted/sides.h"

#include "cmd/machine/processor.h"

/*--- Wanted locations                                     ---*/

#define MOST_WANTS 20000

COMPARE(by_distance, Want, UP(distance) ?: UP(node) ?: UP(place))

bool operand_in_frame(const StaticCode* code, uint32_t n,
                      const MemoryOperand* m, int64_t* offset)
{
   unsigned reg;
   int64_t  rule;

   if (m->fixed || m->segment || m->index != NO_REGISTER
       || m->base == NO_REGISTER
       || !code_frame(code->program, code->nodes[n].near, code->nodes[n].addr,
                      &reg, &rule)
       || reg != m->base)
      return false;
   *offset = m->disp - rule;
   return true;
}

static void add_want(Wants* l, const Want* w)
{
   /* Bytes with several writers are one location, and the last writer
      counts. */
   if (l->n > 0) {
      Want* last = &l->all[l->n - 1];
      if (last->node == w->node && last->memory == w->memory
          && last->place == w->place) {
         if (w->from > last->from)
            last->from = w->from;
         return;
      }
   }
   GROW(l->all, l->n, l->room);
   l->all[l->n++] = *w;
}

static void add_memory(Wants* l, const StaticCode* code, const DcfgSlice* slice,
                       const DcfgSliceInput* in, Want w)
{
   const DcfgSliceNode* n = &slice->nodes[w.node];
   const DcfgWetInstr   i = *dcfg_wet_instr(code->w, n->instr);
   const MemoryOperand* m;
   InstrEffect          e;

   if (in->reg != 0 || n->from == 0
       || image_is_constant(&code->bytes, n->from, n->order)
       || !instr_effect(&i, &e) || e.returns || e.call)
      return;
   m = accessed_operand(&i, &e, 0);
   if (m == NULL || m->size == 0)
      return;
   w.memory = true;
   w.place  = n->from;
   w.size   = m->size;
   if (w.at != NO_NODE && operand_in_frame(code, w.at, m, &w.offset)) {
      w.in_frame = true;
   } else if (!m->fixed) {
      w.based  = m->index == NO_REGISTER;
      w.offset = m->disp;
   }
   add_want(l, &w);
}

/* Add the location that Q asks for at criterion N, which was written at
   W.from. */
static void add_asked(Wants* l, const DcfgSlice* slice, const DcfgSliceQuery* q,
                      const DcfgSliceNode* n, Want w)
{
   w.asked  = true;
   w.memory = q->of != DCFG_SLICE_REGISTER;
   w.place  = q->of == DCFG_SLICE_FRAME ? slice->frame : q->place;
   w.size   = q->size;
   for (uint32_t k = 0; k < q->n_parts; k++)
      if (q->parts[k].instr == n->instr && q->parts[k].instance == n->instance) {
         w.place = q->parts[k].place;
         w.size  = q->parts[k].size;
      }
   if (w.memory ? w.size > 0 && w.place != 0
       : w.place < MAX_GENERAL && w.at != NO_NODE)
      add_want(l, &w);
}

/* Return whether IN is a vector or x87 register with a value from another
   line of W's function. */
static bool is_held_in_vector(const StaticCode* code, const DcfgSlice* slice,
                              const DcfgSliceInput* in, const Want* w)
{
   const DcfgWetInstr user = *dcfg_wet_instr(code->w,
                                             slice->nodes[w->node].instr);
   uint32_t           by, from, line;

   if ((in->port != DCFG_WET_VECTOR && in->port != DCFG_WET_X87)
       || in->node >= DCFG_SLICE_NOT || w->at == NO_NODE)
      return false;
   by   = slice->nodes[in->node].instr;
   from = code_node_at(code, dcfg_wet_instr(code->w, by)->addr, by);
   line = dcfg_wet_instr(code->w, by)->line;
   return from != NO_NODE && line != user.line
          && code->nodes[from].entry == code->nodes[w->at].entry;
}

static bool is_criterion(const DcfgSlice* slice, uint32_t node)
{
   for (uint32_t i = 0; i < slice->n_criteria; i++)
      if (slice->criteria[i] == node)
         return true;
   return false;
}

static void add_node(Wants* l, const StaticCode* code, const DcfgSlice* slice,
                     const DcfgSliceQuery* q, uint32_t node)
{
   const DcfgSliceNode* n = &slice->nodes[node];
   const Processor*     p = processor_of(code->w);
   uint32_t             at = code_node_at(code, dcfg_wet_instr(code->w,
                                                               n->instr)->addr,
                                          n->instr);
   bool                 part = q->of != DCFG_SLICE_ALL
                               && is_criterion(slice, node);

   for (uint32_t k = 0; k < n->n_inputs; k++) {
      const DcfgSliceInput* in = &slice->inputs[n->first_input + k];
      Want                  w = { .node = node, .at = at, .to = n->order,
                                  .distance = n->distance };
      if (in->node == DCFG_SLICE_NOT || in->port == DCFG_WET_CONTROL)
         continue;
      w.from = in->node == DCFG_SLICE_NOBODY ? 0 : slice->nodes[in->node].order;
      l->vectors |= is_held_in_vector(code, slice, in, &w);
      if (part && q->of != DCFG_SLICE_FLAGS && q->of != DCFG_SLICE_X87)
         add_asked(l, slice, q, n, w);
      else if (in->port == DCFG_WET_MEMORY)
         add_memory(l, code, slice, in, w);
      else if (in->port == DCFG_WET_GENERAL && at != NO_NODE
               && in->reg != p->stack && in->node != DCFG_SLICE_NOBODY) {
         w.place = in->reg;
         add_want(l, &w);
      }
   }
}

Wants wants_find(const StaticCode* code, const DcfgSlice* slice,
                 const DcfgSliceQuery* q, const uint32_t* nodes, size_t n)
{
   Wants    l = { .n = 0 };
   uint32_t all = nodes == NULL ? slice->n_nodes : (uint32_t)n;

   for (uint32_t i = 0; i < all; i++)
      add_node(&l, code, slice, q, nodes == NULL ? i : nodes[i]);
   SORT(l.all, l.n, by_distance);
   l.bounded = l.n > MOST_WANTS;
   if (l.bounded)
      l.n = MOST_WANTS;
   return l;
}

/*--- Sides                                                ---*/

#define MOST_OF_SIDE   2000     // nodes
#define MOST_WALKED    4000000  // nodes of all sides
#define MOST_STORES    200000
#define MOST_GUESSES   64       // wants for which a store over a pointer is
                                // tried
#define WIDEST         64       // bytes that an instruction stores
#define DEEPEST        16       // calls in calls that return

typedef enum { STORE_UNSEEN, STORE_NONE, STORE_FIXED, STORE_FRAME,
               STORE_POINTER } StoreKind;

/* NodeStore: the memory and registers that a node writes. */
typedef
   struct {
      uint8_t  kind;            // StoreKind
      uint8_t  size;
      uint32_t registers;
      int64_t  place;           // address; offset in the frame; displacement
   }
   NodeStore;

/* Walk: the nodes of one side.  A node is in it if .seen of the node has the
   number of the walk. */
typedef
   struct {
      uint32_t* nodes;
      size_t    n;
      bool      turns;          // leads back to the branch
   }
   Walk;

typedef
   struct {
      const StaticCode* c;
      const Wants* wants;
      NodeStore*   stores;      // by node, found when needed
      uint32_t*    seen;        // by node: the walk that was there last
      uint32_t     n_walks;
      uint32_t*    led_to;      // by node: predecessors in a walk
      uint8_t*     stays;       // by node that begins a function
      uint32_t*    by_place;    // wants in memory, by their place
      size_t       n_places;
      uint32_t*    by_frame;    // wants in a frame, by function and offset
      size_t       n_frames;
      uint32_t*    guesses;     // wants in memory that are in no known frame,
      size_t       n_guesses;   // the nearest first
      uint32_t*    by_size;     // wants in memory, by size; then the nearest first
      uint32_t*    by_entry;    // wants of registers, by function; then the
      size_t       n_registers; // nearest first
      uint64_t     walked;
      SideStores   found;
   }
   Sides;

/*--- Stores of nodes                                      ---*/

static const NodeStore* store_of(Sides* z, uint32_t n)
{
   NodeStore*  to = &z->stores[n];
   InstrEffect e;
   int64_t     offset;

   if (to->kind != STORE_UNSEEN)
      return to;
   to->kind = STORE_NONE;
   if (!code_effect(z->c, n, &e))
      return to;
   to->registers = e.written;
   for (unsigned k = 0; k < e.n_memory; k++) {
      const MemoryOperand* m = &e.memory[k];
      if (!m->written || m->segment || m->size == 0)
         continue;
      to->size  = m->size;
      to->place = m->disp;
      to->kind  = m->fixed ? STORE_FIXED : STORE_POINTER;
      if (operand_in_frame(z->c, n, m, &offset)) {
         to->kind  = STORE_FRAME;
         to->place = offset;
      }
      break;
   }
   return to;
}

/*--- Walks                                                ---*/

/* Return the nodes that BEGIN leads to, without END and BRANCH, which are
   not passed.  The caller frees .nodes. */
static Walk walk_side(Sides* z, uint32_t begin, uint32_t end, uint32_t branch)
{
   const StaticCode* c = z->c;
   Walk              w = { .nodes = zalloc(MOST_OF_SIDE + 1, sizeof(uint32_t)) };

   z->n_walks++;
   if (begin == end || begin == branch)
      return w;
   z->seen[begin] = z->n_walks;
   w.nodes[w.n++] = begin;
   for (size_t i = 0; i < w.n; i++)
      for (uint32_t k = 0; k < c->nodes[w.nodes[i]].n; k++) {
         uint32_t to = code_successor(c, w.nodes[i], k);
         w.turns |= to == branch;
         if (to == end || to == branch || z->seen[to] == z->n_walks)
            continue;
         if (w.n == MOST_OF_SIDE) {
            z->found.bounded = "of a branch with very much code only the begin of it";
            return w;
         }
         z->seen[to]    = z->n_walks;
         w.nodes[w.n++] = to;
      }
   z->walked += w.n;
   return w;
}

static bool post_dominates(const StaticCode* code, uint32_t n, uint32_t begin,
                           uint32_t end)
{
   for (uint32_t at = begin; at != NO_NODE && at != end;
        at = code->nodes[at].up)
      if (at == n)
         return true;
   return false;
}

/* Return whether W, which must be the last walk, has a cycle.  Nodes without
   predecessors in the walk are removed one by one, as in a topological sort. */
static bool has_loop(Sides* z, const Walk* w)
{
   const StaticCode* c = z->c;
   uint32_t*         todo = zalloc(w->n + 1, sizeof(*todo));
   size_t            n = 0, gone = 0;

   for (size_t i = 0; i < w->n; i++)
      z->led_to[w->nodes[i]] = 0;
   for (size_t i = 0; i < w->n; i++)
      for (uint32_t k = 0; k < c->nodes[w->nodes[i]].n; k++)
         z->led_to[code_successor(c, w->nodes[i], k)]++;
   for (size_t i = 0; i < w->n; i++)
      if (z->led_to[w->nodes[i]] == 0)
         todo[n++] = w->nodes[i];
   while (gone < n) {
      const CodeNode* at = &c->nodes[todo[gone++]];
      for (uint32_t k = 0; k < at->n; k++) {
         uint32_t to = c->successors[at->first + k];
         if (z->seen[to] == z->n_walks && --z->led_to[to] == 0)
            todo[n++] = to;
      }
   }
   free(todo);
   return gone < w->n;
}

/* Return whether control at the nodes of W, the last walk, may not reach its
   end.  IN_FUNCTION: the end is a return. */
static bool may_stop(Sides* z, const Walk* w, bool in_function, unsigned deep);

/* Return whether a call of the function at ENTRY may not return. */
static bool may_stay(Sides* z, uint32_t entry, unsigned deep)
{
   enum { UNKNOWN, RUNNING, RETURNS, STAYS };

   if (z->stays[entry] == UNKNOWN) {
      Walk w;
      z->stays[entry] = RUNNING;
      w = walk_side(z, entry, NO_NODE, NO_NODE);
      z->stays[entry] = deep > DEEPEST || may_stop(z, &w, true, deep)
                        ? STAYS : RETURNS;
      free(w.nodes);
   }
   return z->stays[entry] != RETURNS;
}

static bool may_stop(Sides* z, const Walk* w, bool in_function, unsigned deep)
{
   bool stop = w->n == MOST_OF_SIDE || has_loop(z, w);

   for (size_t i = 0; i < w->n && !stop; i++) {
      const CodeNode* at = &z->c->nodes[w->nodes[i]];
      stop = at->open || (at->ends && !(at->returns && in_function))
             || (at->callee != NO_NODE
                 && may_stay(z, at->callee, deep + 1));
   }
   return stop;
}

/* Return whether control at BEGIN certainly comes to N before END. */
static bool comes_to(Sides* z, uint32_t begin, uint32_t n, uint32_t end)
{
   Walk w;
   bool sure;

   if (!post_dominates(z->c, n, begin, end))
      return false;
   w    = walk_side(z, begin, n, NO_NODE);
   sure = !may_stop(z, &w, false, 0);
   free(w.nodes);
   return sure;
}

/*--- Matches                                              ---*/

static void add_match(Sides* z, const SideStore* s)
{
   if (z->found.n == MOST_STORES) {
      z->found.bounded = "the first 200,000 candidates";
      return;
   }
   GROW(z->found.all, z->found.n, z->found.room);
   z->found.all[z->found.n++] = *s;
}

static const Want* want_of(const Sides* z, const uint32_t* list, size_t i)
{
   return &z->wants->all[list[i]];
}

/* Add a match for each want that has some of the SIZE bytes at PLACE. */
static void match_place(Sides* z, SideStore s, uint64_t place, unsigned size)
{
   size_t low = 0;

   BISECT(low, z->n_places, middle,
          want_of(z, z->by_place, middle)->place + WIDEST < place);
   s.located = true;
   for (; low < z->n_places; low++) {
      const Want* w = want_of(z, z->by_place, low);
      if (w->place >= place + size)
         return;
      s.want = z->by_place[low];
      if (w->place + w->size > place)
         add_match(z, &s);
   }
}

static bool is_before(const StaticCode* code, const Want* w, uint32_t entry,
                      int64_t offset)
{
   uint32_t other = code->nodes[w->at].entry;

   return other != entry ? other < entry : w->offset + WIDEST < offset;
}

/* Add a match for each want that has some of the SIZE bytes at OFFSET in the
   frame of the branch's function.  Add one for each want in no known frame,
   too, because only the run shows its place. */
static void match_frame(Sides* z, SideStore s, int64_t offset, unsigned size)
{
   uint32_t entry = z->c->nodes[s.branch].entry;
   size_t   low = 0;

   s.in_frame = true;
   s.offset   = offset;
   BISECT(low, z->n_frames, middle,
          is_before(z->c, want_of(z, z->by_frame, middle), entry, offset));
   for (; low < z->n_frames; low++) {
      const Want* w = want_of(z, z->by_frame, low);
      if (z->c->nodes[w->at].entry != entry || w->offset >= offset + size)
         break;
      s.want = z->by_frame[low];
      if (w->offset + (int64_t)w->size > offset)
         add_match(z, &s);
   }
   for (size_t i = 0; i < z->n_guesses && i < MOST_GUESSES; i++) {
      s.want = z->guesses[i];
      add_match(z, &s);
   }
}

/* Add a match for each want that a store over a pointer may write: one of
   the same size. */
static void match_pointer(Sides* z, SideStore s, const NodeStore* n)
{
   size_t low = 0;

   BISECT(low, z->n_places, middle, want_of(z, z->by_size, middle)->size < n->size);
   for (size_t i = low; i < z->n_places && i - low < MOST_GUESSES
                        && want_of(z, z->by_size, i)->size == n->size; i++) {
      s.want = z->by_size[i];
      add_match(z, &s);
   }
}

/* Return the function of want I of LIST. */
static uint32_t entry_of(const Sides* z, const uint32_t* list, size_t i)
{
   return z->c->nodes[want_of(z, list, i)->at].entry;
}

static void match_registers(Sides* z, SideStore s, uint32_t registers)
{
   uint32_t entry = z->c->nodes[s.branch].entry;
   size_t   low = 0;

   s.located = true;
   BISECT(low, z->n_registers, middle, entry_of(z, z->by_entry, middle) < entry);
   for (; low < z->n_registers && entry != NO_NODE
          && entry_of(z, z->by_entry, low) == entry; low++) {
      s.want = z->by_entry[low];
      if (registers >> want_of(z, z->by_entry, low)->place & 1)
         add_match(z, &s);
   }
}

static void match_store(Sides* z, SideStore s)
{
   const NodeStore* n = store_of(z, s.store);

   if (n->kind == STORE_FIXED)
      match_place(z, s, (uint64_t)n->place, n->size);
   else if (n->kind == STORE_FRAME && s.call == NO_NODE)
      match_frame(z, s, n->place, n->size);
   else if (n->kind == STORE_POINTER)
      match_pointer(z, s, n);
   if (n->registers != 0 && s.call == NO_NODE && z->c->nodes[s.store].call == 0)
      match_registers(z, s, n->registers);
}

/*--- Branches                                             ---*/

static void match_call(Sides* z, SideStore s, uint32_t call)
{
   uint32_t entry = z->c->nodes[call].callee;
   Walk     w = walk_side(z, entry, NO_NODE, NO_NODE);
   size_t   before = z->found.n;

   s.call = call;
   for (size_t i = 0; i < w.n; i++) {
      s.store = w.nodes[i];
      match_store(z, s);
   }
   free(w.nodes);
   for (size_t i = before; i < z->found.n; i++) {
      SideStore* f = &z->found.all[i];
      f->sure = i > before && f[-1].store == f->store ? f[-1].sure
                : comes_to(z, entry, f->store, NO_NODE);
   }
}

static void match_side(Sides* z, uint32_t branch, uint32_t side)
{
   uint32_t  end = z->c->nodes[branch].up;
   SideStore s = { .branch = branch, .side = side, .call = NO_NODE,
                   .sure = true };
   Walk      w = walk_side(z, side, end, branch);
   size_t    before = z->found.n;
   uint32_t  last = NO_NODE;
   bool      sure = false;

   s.turn = w.turns;
   for (size_t i = 0; i < w.n; i++) {
      s.store = w.nodes[i];
      match_store(z, s);
   }
   for (size_t i = 0; i < w.n; i++)
      if (z->c->nodes[w.nodes[i]].callee != NO_NODE)
         match_call(z, s, w.nodes[i]);
   free(w.nodes);
   for (size_t i = before; i < z->found.n; i++) {
      SideStore* f = &z->found.all[i];
      uint32_t   first = f->call != NO_NODE ? f->call : f->store;
      if (first != last)
         sure = comes_to(z, side, first, end);
      last    = first;
      f->sure = f->sure && sure;
   }
}

/*--- All branches                                         ---*/

static const Sides* sorted;     // for the comparisons below

static int by_place(const void* a, const void* b)
{
   uint64_t x = want_of(sorted, a, 0)->place, y = want_of(sorted, b, 0)->place;

   return ORDER(x, y);
}

static int by_frame(const void* a, const void* b)
{
   const Want* x = want_of(sorted, a, 0);
   const Want* y = want_of(sorted, b, 0);
   uint32_t    e = sorted->c->nodes[x->at].entry;
   uint32_t    f = sorted->c->nodes[y->at].entry;

   return ORDER(e, f) ?: UP(offset);
}

static int by_size(const void* a, const void* b)
{
   uint64_t x = want_of(sorted, a, 0)->size, y = want_of(sorted, b, 0)->size;

   return ORDER(x, y) ?: ORDER(*(const uint32_t*)a, *(const uint32_t*)b);
}

static int by_entry(const void* a, const void* b)
{
   uint32_t x = entry_of(sorted, a, 0), y = entry_of(sorted, b, 0);

   return ORDER(x, y) ?: ORDER(*(const uint32_t*)a, *(const uint32_t*)b);
}

static void index_wants(Sides* z)
{
   for (size_t i = 0; i < z->wants->n; i++) {
      const Want* w = &z->wants->all[i];
      if (!w->memory) {
         z->by_entry[z->n_registers++] = (uint32_t)i;
         continue;
      }
      z->by_size[z->n_places]    = (uint32_t)i;
      z->by_place[z->n_places++] = (uint32_t)i;
      if (w->in_frame)
         z->by_frame[z->n_frames++] = (uint32_t)i;
      else
         z->guesses[z->n_guesses++] = (uint32_t)i;
   }
   sorted = z;
   qsort(z->by_place, z->n_places, sizeof(uint32_t), by_place);
   qsort(z->by_frame, z->n_frames, sizeof(uint32_t), by_frame);
   qsort(z->by_size, z->n_places, sizeof(uint32_t), by_size);
   qsort(z->by_entry, z->n_registers, sizeof(uint32_t), by_entry);
}

SideStores side_stores_find(const StaticCode* code, const Wants* wants)
{
   Sides z = { .c = code, .wants = wants,
               .stores = zalloc(code->n + (size_t)1, sizeof(NodeStore)),
               .seen = zalloc(code->n + (size_t)1, sizeof(uint32_t)),
               .led_to = zalloc(code->n + (size_t)1, sizeof(uint32_t)),
               .stays = zalloc(code->n + (size_t)1, 1),
               .by_place = zalloc(wants->n + 1, sizeof(uint32_t)),
               .by_frame = zalloc(wants->n + 1, sizeof(uint32_t)),
               .guesses = zalloc(wants->n + 1, sizeof(uint32_t)),
               .by_size = zalloc(wants->n + 1, sizeof(uint32_t)),
               .by_entry = zalloc(wants->n + 1, sizeof(uint32_t)) };

   index_wants(&z);
   for (uint32_t b = 0; b < code->n && wants->n > 0; b++) {
      if (!code_is_branch(code, b) || code->nodes[b].instr == NO_NODE)
         continue;
      if (z.walked > MOST_WALKED) {
         z.found.bounded = "the first branches of very many";
         break;
      }
      for (uint32_t k = 0; k < code->nodes[b].n; k++)
         match_side(&z, b, code_successor(code, b, k));
   }
   FREE_ALL(z.stores, z.seen, z.led_to, z.stays, z.by_place, z.by_frame,
            z.guesses, z.by_size, z.by_entry);
   return z.found;
}
