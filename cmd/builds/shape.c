/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Guesses: which functions and stubs of two builds are the same. */

/* Owns: the guesses, and the common numbers of stubs.  Handed: two runs, the
   places of their other blocks.

   Functions.  The algorithm is that of H. Flake, "Structural Comparison of
   Executable Objects" (DIMVA 2004), on which BinDiff is built.  A function's
   signature is its numbers of blocks, edges and calls.  Two functions are a pair
   if no other function has their signature.  The search begins among the callers
   and the callees of known pairs, and goes on in the whole image.  Each new pair
   has neighbours to search in.

   A DCFG also has counts.  The strictest signature has the numbers of
   instructions and of entries, too.  The last signatures, for neighbours only,
   have counts in place of the shape, which a compiler may change.  A single
   entry is weak evidence: then the function must be the only neighbour.

   Stubs of linkage tables.  A linker orders stubs by their names, so one more
   import moves all others.  A stub's name is that of its relocation, if the files
   of both builds can be read; else that of the function to which it jumps most
   often.  A call site is a block that calls a stub; it has the same number in both
   runs.  Several stubs of one name are paired in the order of their call sites.
   A stub that has no name, since its first call was its last one, is that which
   the other run calls from the same site.  In an image whose symbols are
   unchanged, it may be the one at the same offset, too. */

#include "cmd/base/keymap.h"
#include "cmd/builds/pairing.h"
#include "cmd/program/code.h"

/* Class: all functions with the same number, so far. */
typedef
   struct {
      uint32_t side;            // 0, 1 or BOTH
      uint32_t image, name, same; // .same: the class with which this one was
                                  // paired
      bool     open;            // may be paired
      uint64_t blocks, edges, calls, instrs, entries;
   }
   Class;

#define BOTH 2

/* ClassCall: calls from one class to another, in a run. */
typedef
   struct {
      uint32_t side, from, to;
   }
   ClassCall;

/* Shapes: all classes and calls of both runs. */
typedef
   struct {
      const ShapeSide* side;
      KeyMap*          numbers; // keys: numbers of classes
      Class*           classes;
      size_t           n, room;
      ClassCall*       calls;
      size_t           n_calls, calls_room;
   }
   Shapes;

/* Candidate: a class, and the keys that it must have in common with the other
   class of its pair. */
#define N_KEYS 7
typedef
   struct {
      uint64_t key[N_KEYS];
      uint32_t side, class;
   }
   Candidate;

/* Signature: the kinds of signatures, strictest first. */
typedef
   enum { SAME_CODE, SAME_GRAPH, SAME_CALLS, SAME_ENTRIES, ONLY_ONE }
   Signature;

/* A shape of fewer blocks is evidence only among neighbours. */
#define FEWEST_BLOCKS 5

/* The most rounds.  Each makes at least one pair. */
#define MOST_ROUNDS 200

/* The most stubs, such as those of the PLT, through which a call is
   followed. */
#define MOST_STUBS 3

/*--- Calls and signatures                                 ---*/

static void add_function(Shapes* x, uint32_t side, uint32_t function)
{
   const ShapeSide* s = &x->side[side];
   uint32_t         u = keymap_number(x->numbers, s->number[function]);

   if (u == x->n) {
      GROW(x->classes, x->n, x->room);
      x->classes[x->n++] = (Class){ .side = side, .image = s->image[function],
                                 .name = s->name[function], .same = u,
                                 .open = s->open[function] };
   } else if (x->classes[u].side != side) {
      x->classes[u].side = BOTH;
   }
}

static uint32_t class_of(const Shapes* x, uint32_t side, uint32_t function)
{
   return keymap_find(x->numbers, x->side[side].number[function]);
}

static void add_call(Shapes* x, uint32_t side, uint32_t from, uint32_t to)
{
   GROW(x->calls, x->n_calls, x->calls_room);
   x->calls[x->n_calls++] = (ClassCall){ side, from, to };
}

/* Add the calls from class FROM to the functions that stubs at NODE lead to. */
static void follow(Shapes* x, uint32_t side, uint32_t from, uint32_t node,
                   unsigned stubs)
{
   const ShapeSide* s = &x->side[side];
   uint32_t         n;
   const uint32_t*  out;

   if (node >= s->g->p->n_blocks)
      return;
   if (s->f->of[node] != NO_FUNCTION) {
      uint32_t to = class_of(x, side, s->f->of[node]);
      if (to != from)
         add_call(x, side, from, to);
      return;
   }
   out = dcfg_out_edges(s->g->p, node, &n);
   for (uint32_t i = 0; i < n && i < 8 && stubs > 0; i++)
      follow(x, side, from, s->g->p->edges[out[i]].target, stubs - 1);
}

/* Return whether an edge of TYPE leads where its source sent control. */
static bool is_sent(DcfgEdgeType type)
{
   return (type >= DCFG_EDGE_CALL && type <= DCFG_EDGE_INDIRECT_CALL)
          || (type >= DCFG_EDGE_BRANCH
              && type <= DCFG_EDGE_INDIRECT_UNCONDITIONAL_BRANCH);
}

/* Count the blocks, edges and calls of a run's classes. */
static void add_side(Shapes* x, uint32_t side)
{
   const ShapeSide*   s = &x->side[side];
   const DcfgProcess* p = s->g->p;

   for (uint32_t i = 0; i < p->n_blocks; i++) {
      Class* u;
      if (s->f->of[i] == NO_FUNCTION)
         continue;
      u = &x->classes[class_of(x, side, s->f->of[i])];
      u->blocks++;
      u->instrs += p->nodes[i].n_instrs;
   }
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const DcfgEdge* e = &p->edges[i];
      uint32_t        f = e->source < p->n_blocks ? s->f->of[e->source]
                          : NO_FUNCTION, to;
      Class*           u;
      to = e->target < p->n_blocks ? s->f->of[e->target] : NO_FUNCTION;
      if (to != NO_FUNCTION && to != f && s->f->begins[e->target]
          && e->type != DCFG_EDGE_RETURN)
         add_count(&x->classes[class_of(x, side, to)].entries, e->count);
      if (f == NO_FUNCTION)
         continue;
      u = &x->classes[class_of(x, side, f)];
      if (e->type >= DCFG_EDGE_CALL && e->type <= DCFG_EDGE_INDIRECT_CALL)
         u->calls++;
      else
         u->edges += to == f;
      if (is_sent(e->type) && (to != f || to == NO_FUNCTION))
         follow(x, side, class_of(x, side, f), e->target, MOST_STUBS);
   }
}

/*--- Pairs                                                ---*/

/* Return whether CLASS may still be paired. */
static bool is_left(const Shapes* x, uint32_t class)
{
   const Class* u = &x->classes[class];

   return u->open && u->side != BOTH && u->same == class;
}

static int by_keys(const Candidate* a, const Candidate* b)
{
   for (unsigned i = 0; i < N_KEYS; i++)
      if (a->key[i] != b->key[i])
         return a->key[i] < b->key[i] ? -1 : 1;
   return 0;
}

COMPARE(by_candidate, Candidate, by_keys(x, y) ?: UP(side) ?: UP(class))

/* Return the candidate for CLASS with signature WHAT.  CONTEXT stands for a
   paired class, and for whether that calls CLASS or is called by it; 0: for the
   whole image. */
static Candidate candidate(const Shapes* x, uint32_t class, Signature what,
                           uint64_t context)
{
   const Class* u = &x->classes[class];
   Candidate   c = { { context, u->image }, u->side, class };

   if (what == SAME_CODE || what == SAME_GRAPH) {
      c.key[2] = u->blocks;
      c.key[3] = u->edges;
   }
   if (what <= SAME_CALLS)
      c.key[4] = u->calls;
   if (what == SAME_CODE)
      c.key[5] = u->instrs;
   if (what != SAME_GRAPH && what != ONLY_ONE)
      c.key[6] = u->entries;
   return c;
}

/* Make A and B a pair.  Return false if signature WHAT is too weak for that. */
static bool unite(Shapes* x, uint32_t a, uint32_t b, Signature what)
{
   Class* u = &x->classes[a];
   Class* v = &x->classes[b];

   if (!is_left(x, a) || !is_left(x, b)
       || (what >= SAME_CALLS && u->entries != v->entries)
       || ((what == SAME_CALLS || what == SAME_ENTRIES) && u->entries < 2)
       || (u->name != 0 && v->name != 0 && u->name != v->name))
      return false;
   u->side = BOTH;
   v->same = a;
   return true;
}

/* Pair classes whose keys only one class of each run has.  Return the number of
   pairs. */
static size_t pair_unique(Shapes* x, Candidate* c, size_t n, Signature what)
{
   size_t paired = 0;

   qsort(c, n, sizeof(*c), by_candidate);
   for (size_t i = 0, end; i < n; i = end) {
      size_t   there[2] = { 0, 0 };
      uint32_t one[2] = { 0, 0 };
      for (end = i; end < n && by_keys(&c[i], &c[end]) == 0; end++)
         if (end == i || c[end].class != c[end - 1].class) {
            there[c[end].side]++;
            one[c[end].side] = c[end].class;
         }
      if (there[0] == 1 && there[1] == 1)
         paired += unite(x, one[0], one[1], what);
   }
   return paired;
}

/* Pair the callers, and the callees, of functions that are paired already.  C
   has room for all candidates.  Return the number of new pairs. */
static size_t pair_neighbours(Shapes* x, Candidate* c, Signature what)
{
   size_t n = 0;

   for (size_t i = 0; i < x->n_calls; i++) {
      uint32_t from = x->classes[x->calls[i].from].same;
      uint32_t to = x->classes[x->calls[i].to].same;
      if (x->classes[from].side == BOTH && is_left(x, to))
         c[n++] = candidate(x, to, what, 1 + 2 * (uint64_t)from);
      else if (x->classes[to].side == BOTH && is_left(x, from))
         c[n++] = candidate(x, from, what, 2 + 2 * (uint64_t)to);
   }
   return pair_unique(x, c, n, what);
}

/* Make pairs likewise in whole images. */
static size_t pair_images(Shapes* x, Candidate* c, Signature what)
{
   size_t n = 0;

   for (uint32_t i = 0; i < x->n; i++)
      if (is_left(x, i)
          && (what == SAME_CODE || x->classes[i].blocks >= FEWEST_BLOCKS))
         c[n++] = candidate(x, i, what, 0);
   return pair_unique(x, c, n, what);
}

/* Make pairs with the strictest signature that makes any.  Return how many. */
static size_t pair_some(Shapes* x, Candidate* c)
{
   for (Signature what = SAME_CODE; what <= ONLY_ONE; what++) {
      size_t n = pair_neighbours(x, c, what);
      if (n == 0 && what <= SAME_GRAPH)
         n = pair_images(x, c, what);
      if (n > 0)
         return n;
   }
   return 0;
}

void match_shapes(const ShapeSide side[2], KeyMap* guesses)
{
   Shapes     x = { .side = side, .numbers = keymap_new() };
   Candidate* c;

   for (uint32_t k = 0; k < 2; k++)
      for (uint32_t i = 0; i < side[k].f->n; i++)
         add_function(&x, k, i);
   for (uint32_t k = 0; k < 2; k++)
      add_side(&x, k);
   c = zalloc(x.n + x.n_calls, sizeof(*c));
   for (unsigned i = 0; i < MOST_ROUNDS && pair_some(&x, c) > 0; i++)
      ;
   for (uint32_t i = 0; i < side[1].f->n; i++) {
      uint32_t u = keymap_find(x.numbers, side[1].number[i]);
      if (u == UINT32_MAX || x.classes[u].same == u)
         continue;
      side[1].number[i] = keymap_key(x.numbers, x.classes[u].same);
      keymap_number(guesses, side[1].number[i]);
   }
   free(c);
   keymap_free(x.numbers);
   FREE_ALL(x.classes, x.calls);
}

/* Part: the parts of a stub.  The first call of a lazily bound function goes
   on at PART_BIND, and from there to the table's head, the code that binds
   it. */
typedef enum { PART_JUMP, PART_BIND, PART_HEAD } Part;

/* Stub: a stub, or a part of one. */
typedef
   struct {
      uint32_t side, node, image;       // the image's common number
      uint32_t name;            // 0: none
      uint64_t site;            // the first call site; UINT64_MAX: none
      Part     part;
   }
   Stub;

/* Matching: all stubs of both runs. */
typedef
   struct {
      const BuildImages* images;
      StubSide*          side;
      Code*              code[2];
      Interned*          names;
      KeyMap*            name_numbers;
      KeyMap*            keys;          // keys of make_key()
      KeyMap*            sites;
      Stub*              stubs;
      size_t             n, room;
   }
   Matching;

/* Space: the spaces of numbers of an image. */
typedef enum { NAMED, CLUES, LATER, LEFT, LEFT_B, BINDING, SITES, OFFSETS } Space;

/* Return a number for Y in the space X, which make_key() or space_of() made. */
static uint64_t make_key(Matching* m, uint64_t x, uint64_t y)
{
   return keymap_number(m->keys, x << 32 | y);
}

static uint64_t space_of(Matching* m, uint32_t image, Space space)
{
   return make_key(m, (uint64_t)1 << 31 | image, space);
}

static const DcfgProcess* process_of(const Matching* m, uint32_t side)
{
   return m->images->side[side].g->p;
}

static bool is_linkage(const Matching* m, uint32_t side, uint32_t node)
{
   return node < process_of(m, side)->n_blocks
          && m->side[side].f->of[node] == NO_FUNCTION;
}

/*--- Stubs                                                ---*/

/* Return which part of a stub NODE is; *JUMP is the part that leads there. */
static Part part_of(const Matching* m, uint32_t side, uint32_t node,
                    uint32_t* jump)
{
   const DcfgProcess* p = process_of(m, side);
   uint32_t           n;
   const uint32_t*    edges = dcfg_out_edges(p, node, &n);
   bool               binds = false, inside = false, outside = false;

   *jump = DCFG_NONE;
   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &p->edges[edges[i]];
      binds = binds || (e->type == DCFG_EDGE_DIRECT_UNCONDITIONAL_BRANCH
                        && is_linkage(m, side, e->target));
   }
   edges = dcfg_in_edges(p, node, &n);
   for (uint32_t i = 0; i < n; i++) {
      uint32_t from = p->edges[edges[i]].source;
      if (is_linkage(m, side, from)) {
         inside = true;
         *jump = from;
      } else {
         outside = outside || from < p->n_blocks;
      }
   }
   return binds && inside ? PART_BIND
          : inside && !outside ? PART_HEAD : PART_JUMP;
}

/* Return whether the files of both builds of the image can be read. */
static bool has_files(Matching* m, uint32_t image)
{
   for (uint32_t k = 0; k < 2; k++) {
      const ImageSide* s = &m->images->side[k];
      uint32_t         i = 0;
      while (i < s->g->p->n_images && s->image[i] != image)
         i++;
      if (i == s->g->p->n_images
          || (s->g->p->images[i].build_id == NULL
              && s->g->p->images[i].code_hash == NULL)
          || code_elf(m->code[k], i) == NULL)
         return false;
   }
   return true;
}

/* Return the function that the stub jumps to most often, by its number;
   UINT64_MAX if there is none. */
static uint64_t function_behind(const Matching* m, uint32_t side, uint32_t node)
{
   const DcfgProcess* p = process_of(m, side);
   const Functions*   f = m->side[side].f;
   uint32_t           n;
   const uint32_t*    out = dcfg_out_edges(p, node, &n);
   uint64_t           most = 0, found = UINT64_MAX;

   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &p->edges[out[i]];
      if (e->type != DCFG_EDGE_INDIRECT_UNCONDITIONAL_BRANCH
          || e->target >= p->n_blocks || e->count <= most
          || f->of[e->target] == NO_FUNCTION || !f->begins[e->target])
         continue;
      most = e->count;
      found = m->side[side].numbers[f->of[e->target]];
   }
   return found;
}

/* FUNCTION: the bit of a name that is a function's number.  No pointer has
   it. */
#define FUNCTION ((uint64_t)1 << 63)

/* Return the number of the stub's name, without a version; 0 if it has none.  If
   the function behind it has no symbol, its number stands for the name. */
static uint32_t name_of(Matching* m, uint32_t side, uint32_t node, bool files)
{
   const DcfgProcess* p = process_of(m, side);
   uint32_t           symbol = stub_target(p, node);
   const char*        name = !files ? NULL
                             : code_stub(m->code[side], p->nodes[node].image,
                                         p->nodes[node].addr);

   if (name == NULL && symbol != DCFG_NONE)
      name = p->symbols[symbol].name;
   if (name == NULL) {
      uint64_t function = function_behind(m, side, node);
      return function == UINT64_MAX ? 0
             : 1 + keymap_number(m->name_numbers, FUNCTION | function);
   }
   name = text_format("%.*s", (int)strcspn(name, "@"), name);
   return 1 + keymap_number(m->name_numbers,
                            (uintptr_t)intern(m->names, name));
}

/* Return the number of EDGE's source as a call site, one for both runs;
   UINT64_MAX if it is none.  A direct jump has one target, so a site calls one
   stub. */
static uint64_t site_of(Matching* m, uint32_t side, const DcfgEdge* edge)
{
   uint32_t from = edge->source;

   if (from >= process_of(m, side)->n_blocks || is_linkage(m, side, from)
       || (edge->type != DCFG_EDGE_CALL && edge->type != DCFG_EDGE_DIRECT_CALL
           && edge->type != DCFG_EDGE_DIRECT_UNCONDITIONAL_BRANCH))
      return UINT64_MAX;
   return make_key(m, space_of(m, m->images->side[side].image
                                     [process_of(m, side)->nodes[from].image],
                               SITES),
                   keymap_number(m->sites, m->side[side].places[from]));
}

static void add_stub(Matching* m, uint32_t side, uint32_t node, bool files)
{
   const DcfgProcess* p = process_of(m, side);
   uint32_t           n, jump;
   const uint32_t*    in = dcfg_in_edges(p, node, &n);
   Stub               s = { side, node, m->images->side[side].image
                                           [p->nodes[node].image],
                            0, UINT64_MAX, part_of(m, side, node, &jump) };

   if (s.part == PART_JUMP)
      s.name = name_of(m, side, node, files);
   for (uint32_t i = 0; i < n; i++) {
      uint64_t site = site_of(m, side, &p->edges[in[i]]);
      if (site < s.site)
         s.site = site;
   }
   GROW(m->stubs, m->n, m->room);
   m->stubs[m->n++] = s;
}

static void add_stubs(Matching* m, uint32_t side)
{
   const ImageSide* s = &m->images->side[side];

   for (uint32_t k = 0; k < s->g->p->n_images; k++) {
      const DcfgImage* im = &s->g->p->images[k];
      bool             known = false, files = false;
      if (m->images->same[s->image[k]])
         continue;
      for (uint32_t i = im->first_node; i < im->first_node + im->n_nodes; i++) {
         if (!is_linkage(m, side, i))
            continue;
         files = known ? files : has_files(m, s->image[k]);
         known = true;
         add_stub(m, side, i, files);
         text_forget();
      }
   }
}

/*--- Pairs                                                ---*/

COMPARE(by_name, Stub, UP(part) ?: UP(image) ?: UP(name) ?: UP(side) ?: UP(site)
        ?: UP(node))

static uint64_t* number_of(const Matching* m, const Stub* s)
{
   return &m->side[s->side].stub[s->node];
}

/* Number the stubs that have names, and the tables' heads. */
static void number_named(Matching* m)
{
   uint64_t turn = 0;

   qsort(m->stubs, m->n, sizeof(*m->stubs), by_name);
   for (size_t i = 0; i < m->n; i++) {
      Stub*       s = &m->stubs[i];
      const Stub* before = i == 0 ? NULL : s - 1;
      turn = before == NULL || before->part != s->part
             || before->image != s->image || before->name != s->name
             || before->side != s->side ? 0 : turn + 1;
      if (s->part != PART_BIND && (s->name != 0 || s->part == PART_HEAD))
         *number_of(m, s) = make_key(m, make_key(m, space_of(m, s->image,
                                                             NAMED),
                                                 s->name), turn);
   }
}

/* Return a number for the N-th thing by which stub S can be recognized: a call
   site, or its offset.  0: it is none.  UINT64_MAX: there are no more. */
static uint64_t clue_of(Matching* m, const Stub* s, bool sites, uint32_t n)
{
   const DcfgProcess* p = process_of(m, s->side);
   const DcfgNode*    node = &p->nodes[s->node];
   uint32_t           n_in;
   const uint32_t*    in = dcfg_in_edges(p, s->node, &n_in);
   uint64_t           site;

   if (!sites)
      return n > 0 || m->images->rebuilt[s->image] ? UINT64_MAX
             : 1 + make_key(m, space_of(m, s->image, OFFSETS), keymap_number(
                   m->sites, node->addr
                             - p->images[node->image].load_addr));
   if (n >= n_in)
      return UINT64_MAX;
   site = site_of(m, s->side, &p->edges[in[n]]);
   return site == UINT64_MAX ? 0 : 1 + make_key(m, space_of(m, s->image, CLUES),
                                                site);
}

/* Pair stubs whose numbers only one run has, if they have a clue in common and
   one of them has no name. */
static void pair_lonely(Matching* m, bool sites)
{
   KeyMap* there[2] = { keymap_new(), keymap_new() };
   KeyMap* clues = keymap_new();
   Stub**  owners = NULL;               // by number in CLUES: A's stub
   size_t  n = 0, room = 0;

   for (size_t i = 0; i < m->n; i++)
      if (*number_of(m, &m->stubs[i]) != NO_STUB)
         keymap_number(there[m->stubs[i].side], *number_of(m, &m->stubs[i]));
   for (uint32_t side = 0; side < 2; side++)
      for (size_t i = 0; i < m->n; i++) {
         Stub*    s = &m->stubs[i];
         uint64_t number = *number_of(m, s), clue;
         if (s->side != side || s->part != PART_JUMP
             || (number != NO_STUB
                 && keymap_find(there[1 - side], number) != UINT32_MAX))
            continue;
         for (uint32_t k = 0; (clue = clue_of(m, s, sites, k)) != UINT64_MAX;
              k++) {
            uint32_t found = clue == 0 ? UINT32_MAX : keymap_find(clues, clue);
            if (clue != 0 && side == 0 && found == UINT32_MAX) {
               keymap_number(clues, clue);
               GROW(owners, n, room);
               owners[n++] = s;
            } else if (side == 1 && found != UINT32_MAX
                       && owners[found] != NULL
                       && (s->name == 0 || owners[found]->name == 0)) {
               Stub* a = owners[found];
               if (*number_of(m, a) == NO_STUB)
                  *number_of(m, a) = make_key(m, space_of(m, a->image, LATER),
                                              a->node);
               *number_of(m, s) = *number_of(m, a);
               for (size_t j = 0; j < n; j++)
                  owners[j] = owners[j] == a ? NULL : owners[j];
               break;
            }
         }
      }
   for (int side = 0; side < 2; side++)
      keymap_free(there[side]);
   keymap_free(clues);
   free(owners);
}

/* Number what is left: stubs that only one run has, and the parts that bind,
   each by its stub. */
static void number_rest(Matching* m)
{
   uint32_t jump;

   for (size_t i = 0; i < m->n; i++) {
      const Stub* s = &m->stubs[i];
      if (s->part != PART_BIND && *number_of(m, s) == NO_STUB)
         *number_of(m, s) = make_key(m, space_of(m, s->image, s->side == 0
                                                          ? LEFT : LEFT_B),
                                     s->node);
   }
   for (size_t i = 0; i < m->n; i++) {
      const Stub* s = &m->stubs[i];
      if (s->part != PART_BIND)
         continue;
      part_of(m, s->side, s->node, &jump);
      *number_of(m, s) = make_key(m, space_of(m, s->image, BINDING),
                                  m->side[s->side].stub[jump]);
   }
}

void match_stubs(const BuildImages* images, StubSide side[2])
{
   Matching m = { .images = images, .side = side };

   m.names = interned_new();
   m.name_numbers = keymap_new();
   m.keys = keymap_new();
   m.sites = keymap_new();
   for (uint32_t k = 0; k < 2; k++)
      m.code[k] = code_quiet(images->side[k].g, NULL);
   for (uint32_t k = 0; k < 2; k++)
      add_stubs(&m, k);
   if (m.n > 0) {
      number_named(&m);
      pair_lonely(&m, true);
      pair_lonely(&m, false);
      number_rest(&m);
   }
   for (int k = 0; k < 2; k++)
      code_free(m.code[k]);
   interned_free(m.names);
   FREE_EACH(keymap_free, m.name_numbers, m.keys, m.sites);
   free(m.stubs);
}
