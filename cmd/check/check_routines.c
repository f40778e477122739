/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Rules of routines, dominators and loops. */

/* Owns: rules of routines and their contents.  Handed: a loaded process.  Taken
   by: cmd_check.c.

   The graph inside a routine has its nodes, and the edges between them that
   stay in a routine.  Dominators and loops are computed for it and compared
   with the file's. */

#include "cmd/check/flowgraph.h"
#include "cmd/base/rules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef
   struct {
      Check*             c;
      const DcfgProcess* p;
      Flowgraph          g;
      uint32_t*          local;         // for each node: its number in its
                                        // routine
      const uint32_t*    nodes;         // the routine's nodes, by that number
      uint32_t           n;
      uint32_t*          mark;
      uint32_t*          members;
      uint32_t*          parent;        // for each head: the parent of its
                                        // loop, computed
      uint32_t*          size;          // for each head: the size of its loop,
                                        // computed; 0: none
      uint32_t*          place;         // see flow_loops()
      bool*              seen;          // for each node: does the file have it
                                        // as a head?
   }
   Look;

/*--- One routine                                          ---*/

static void build_inside(Look* l, uint32_t routine)
{
   const DcfgProcess* p = l->p;

   l->nodes = dcfg_routine_nodes(p, routine, &l->n);
   for (uint32_t i = 0; i < l->n; i++)
      l->local[l->nodes[i]] = i;
   flow_reset(&l->g, l->n);
   for (uint32_t i = 0; i < l->n; i++) {
      uint32_t        n;
      const uint32_t* out = dcfg_out_edges(p, l->nodes[i], &n);
      for (uint32_t k = 0; k < n; k++) {
         const DcfgEdge* e = &p->edges[out[k]];
         if (dcfg_is_local(e->type) && e->target < p->n_blocks
             && p->nodes[e->target].routine == routine)
            flow_edge(&l->g, i, l->local[e->target]);
      }
   }
}

static const char* id_of(const Look* l, uint32_t node)
{
   return node < l->p->n_nodes
          ? text_format("%" PRIu32, l->p->nodes[node].id) : "nothing";
}

static void check_idoms(Look* l, uint32_t routine)
{
   const DcfgProcess* p = l->p;
   uint32_t           entry = p->routines[routine].entry;

   for (uint32_t i = 0; i < l->n; i++) {
      uint32_t node = l->nodes[i], idom = p->nodes[node].idom;
      if (p->nodes[node].routine != routine)
         continue;                      // already reported: it is in two
                                        // routines
      if (l->g.number[i] == NOWHERE)
         broken(l->c->rules, "routine-reach", "routine %s: block %s cannot "
                "be reached inside it", node_label(l->c, entry),
                node_label(l->c, node));
      else if (node == entry && idom != entry)
         broken(l->c->rules, "routine-entry", "routine %s: its entry's "
                "IDOM_NODE_ID is %s", node_label(l->c, entry),
                id_of(l, idom));
      else if (idom != l->nodes[l->g.idom[i]])
         broken(l->c->rules, "routine-idom", "routine %s: block %s has the "
                "IDOM_NODE_ID %s, its dominator is %s",
                node_label(l->c, entry), node_label(l->c, node),
                id_of(l, idom), id_of(l, l->nodes[l->g.idom[i]]));
   }
}

/* Check exits: nodes with a counted edge that leaves the routine.  If such an
   edge was never taken, which another rule reports, both answers are right. */
static void check_exits(Look* l, uint32_t routine)
{
   const DcfgProcess* p = l->p;
   uint32_t           entry = p->routines[routine].entry, n;
   const uint32_t*    exits = dcfg_routine_exits(p, routine, &n);

   for (uint32_t i = 0; i < l->n; i++)
      l->mark[l->nodes[i]] = 0;
   for (uint32_t i = 0; i < n; i++) {
      if (p->nodes[exits[i]].routine != routine) {
         broken(l->c->rules, "routine-exits", "routine %s: exit %s is not in "
                "it", node_label(l->c, entry), id_of(l, exits[i]));
         continue;
      }
      if (l->mark[exits[i]] == 1)
         broken(l->c->rules, "routine-exits", "routine %s: exit %s stands "
                "there twice", node_label(l->c, entry), id_of(l, exits[i]));
      l->mark[exits[i]] = 1;
      if (l->c->ours && i > 0 && exits[i] < exits[i - 1])
         broken(l->c->rules, "order", "routine %s: exit %s follows %s",
                node_label(l->c, entry), id_of(l, exits[i]),
                id_of(l, exits[i - 1]));
   }
   for (uint32_t i = 0; i < l->n; i++) {
      uint32_t        node = l->nodes[i], m;
      const uint32_t* out = dcfg_out_edges(p, node, &m);
      bool            must = false, may = false;
      for (uint32_t k = 0; k < m; k++) {
         const DcfgEdge* e = &p->edges[out[k]];
         if (e->target < p->n_nodes && p->nodes[e->target].routine == routine)
            continue;
         must = must || e->count > 0;
         may = may || !dcfg_is_bypass(e->type);
      }
      if (must && l->mark[node] == 0)
         broken(l->c->rules, "routine-exits", "routine %s: block %s leaves it "
                "but is no exit", node_label(l->c, entry),
                node_label(l->c, node));
      else if (!must && !may && l->mark[node] == 1)
         broken(l->c->rules, "routine-exits", "routine %s: exit %s has no "
                "edge out of it", node_label(l->c, entry),
                node_label(l->c, node));
   }
   for (uint32_t i = 0; i < l->n; i++)
      l->mark[l->nodes[i]] = NOWHERE;
}

/*--- Its loops                                            ---*/

COMPARE(by_number, uint32_t, ORDER(*x, *y))

/* Return a node in which the list differs from the loop.  That takes time in
   proportion to the loop, so it is only done for printed messages, and only so
   often for a nest of loops. */
#define MAX_DIFFERING 1000

static const char* differing_member(Look* l, const uint32_t* file, uint32_t n,
                                    uint32_t head)
{
   uint32_t m = flow_loop(&l->g, head, l->mark, l->members), differ;

   qsort(l->members, m, sizeof(*l->members), by_number);
   for (differ = 0; differ < n && differ < m; differ++)
      if (file[differ] != l->nodes[l->members[differ]])
         break;
   for (uint32_t i = 0; i < m; i++)
      l->mark[l->members[i]] = NOWHERE;
   return differ < n ? id_of(l, file[differ])
          : id_of(l, l->nodes[l->members[differ]]);
}

/* The list is sorted, so nodes that are there twice are neighbours. */
static void check_members(Look* l, uint32_t loop, const char* where)
{
   const DcfgProcess* p = l->p;
   uint32_t           head = l->local[p->loops[loop].head], n;
   const uint32_t*    file = dcfg_loop_nodes(p, loop, &n);
   bool               same = n == l->size[head];

   for (uint32_t i = 0; same && i < n; i++) {
      uint32_t m = l->local[file[i]];
      same = p->nodes[file[i]].routine == p->loops[loop].routine
             && l->g.number[m] != NOWHERE && l->place[m] >= l->place[head]
             && l->place[m] - l->place[head] < n
             && (i == 0 || file[i] > file[i - 1]);
   }
   if (same)
      return;
   if (rules_open(l->c->rules, "loop-members")
       && rules_count(l->c->rules, "loop-members") < MAX_DIFFERING)
      broken(l->c->rules, "loop-members", "%s has %" PRIu32
             " blocks, should have %" PRIu32 "; they differ from %s on", where,
             n, l->size[head], differing_member(l, file, n, head));
   else
      broken(l->c->rules, "loop-members", "%s has %" PRIu32
             " blocks, should have %" PRIu32, where, n, l->size[head]);
}

/* Marks of a back edge's source. */
enum { LISTED, NOT_LISTED };

/* Each edge and each element of the list is visited once. */
static void check_backs(Look* l, uint32_t loop, const char* where)
{
   const DcfgProcess* p = l->p;
   uint32_t           head = l->local[p->loops[loop].head], n;
   uint32_t           first = l->g.first_in[head];
   uint32_t           end = l->g.first_in[head + 1];
   const uint32_t*    backs = dcfg_loop_backs(p, loop, &n);

   for (uint32_t k = first; k < end; k++)
      if (flow_dominates(&l->g, head, l->g.in[k]))
         l->mark[l->g.in[k]] = NOT_LISTED;
   for (uint32_t i = 0; i < n; i++) {
      uint32_t b = backs[i];
      bool     inside = p->nodes[b].routine == p->loops[loop].routine;
      if (l->c->ours && i > 0 && b < backs[i - 1])
         broken(l->c->rules, "order", "%s: back edge source %s follows %s",
                where, id_of(l, b), id_of(l, backs[i - 1]));
      if (!inside || l->mark[l->local[b]] == NOWHERE)
         broken(l->c->rules, "loop-back-edges", "%s: there is no back edge "
                "from %s", where, id_of(l, b));
      else if (l->mark[l->local[b]] == LISTED)
         broken(l->c->rules, "loop-back-edges", "%s: back edge source %s "
                "stands there twice", where, id_of(l, b));
      else
         l->mark[l->local[b]] = LISTED;
   }
   for (uint32_t k = first; k < end; k++)
      if (l->mark[l->g.in[k]] == NOT_LISTED)
         broken(l->c->rules, "loop-back-edges", "%s: the back edge from %s is "
                "missing", where, id_of(l, l->nodes[l->g.in[k]]));
   for (uint32_t k = first; k < end; k++)
      l->mark[l->g.in[k]] = NOWHERE;
}

static void check_loop(Look* l, uint32_t loop, const char* here)
{
   const DcfgProcess* p = l->p;
   const DcfgLoop*    f = &p->loops[loop];
   const char*        where = here;
   uint32_t           head, parent, up;
   char*              copy;

   if (f->head == DCFG_NONE || p->nodes[f->head].routine != f->routine) {
      broken(l->c->rules, "loop-false", "%s: the head %s of a loop is not in "
             "it", here, id_of(l, f->head));
      return;
   }
   head = l->local[f->head];
   copy = text_copy(text_format("%s, loop %s", here,
                                node_label(l->c, f->head)));
   where = copy;
   if (l->size[head] == 0) {
      broken(l->c->rules, "loop-false", "%s: no back edge goes there", where);
   } else if (!l->seen[head]) {         // twice: loading has reported it

      check_backs(l, loop, where);
      check_members(l, loop, where);
      parent = l->parent[head];
      up = parent == NOWHERE ? DCFG_NONE : l->nodes[parent];
      if (up != (f->parent == DCFG_NONE ? DCFG_NONE
                 : p->loops[f->parent].head))
         broken(l->c->rules, "loop-parent", "%s has the parent %s, should "
                "have %s", where, f->parent == DCFG_NONE ? "nothing"
                : id_of(l, p->loops[f->parent].head), id_of(l, up));
   }
   free(copy);
}

static void check_loops(Look* l, uint32_t routine)
{
   const DcfgProcess* p = l->p;
   const DcfgRoutine* r = &p->routines[routine];
   char*              here = text_copy(text_format("routine %s",
                                          node_label(l->c, r->entry)));

   flow_loops(&l->g, l->parent, l->size, l->place);
   memset(l->seen, 0, l->n * sizeof(*l->seen));
   for (uint32_t i = 0; i < r->n_loops; i++) {
      uint32_t head = p->loops[r->first_loop + i].head;
      check_loop(l, r->first_loop + i, here);
      if (head != DCFG_NONE && p->nodes[head].routine == routine)
         l->seen[l->local[head]] = true;
      if (l->c->ours && i > 0 && head < p->loops[r->first_loop + i - 1].head)
         broken(l->c->rules, "order", "%s: loop %s follows %s", here,
                id_of(l, head),
                id_of(l, p->loops[r->first_loop + i - 1].head));
   }
   for (uint32_t i = 0; i < l->n; i++)
      if (l->size[i] > 0 && !l->seen[i])
         broken(l->c->rules, "loop-missing", "%s: there is no loop with the "
                "head %s", here, node_label(l->c, l->nodes[i]));
   free(here);
}

static void check_routine(Look* l, uint32_t routine)
{
   const DcfgProcess* p = l->p;
   const DcfgRoutine* r = &p->routines[routine];

   if (l->c->ours && routine > 0 && r->entry < r[-1].entry)
      broken(l->c->rules, "order", "ROUTINES: routine %s follows %s",
             id_of(l, r->entry), id_of(l, r[-1].entry));
   if (r->entry == DCFG_NONE)
      return;
   build_inside(l, routine);
   for (uint32_t i = 0; i < l->n; i++)
      if (p->nodes[l->nodes[i]].image != r->image)
         broken(l->c->rules, "routine-image", "routine %s: block %s is in "
                "another image", node_label(l->c, r->entry),
                node_label(l->c, l->nodes[i]));
   if (p->nodes[r->entry].routine != routine) {
      broken(l->c->rules, "routine-entry", "routine %s: its entry is not "
             "among its NODES", node_label(l->c, r->entry));
      return;
   }
   flow_analyse(&l->g, l->local[r->entry]);
   check_idoms(l, routine);
   check_exits(l, routine);
   check_loops(l, routine);
}

/*--- The division into routines                           ---*/

enum { ENTRY_MUST = 1, ENTRY_MAY = 2, ENTRY_IS = 4, ENTRY_LEFT = 8 };

/* Return the start of the function at ADDR, or 0.  Symbols without a size do
   not tell where they end. */
static uint64_t function_of(const DcfgProcess* p, uint32_t image,
                            uint64_t addr)
{
   uint32_t s = dcfg_symbol_at(p, image, addr);

   return s == DCFG_NONE || p->symbols[s].size == 0 ? 0 : p->symbols[s].addr;
}

/* Return whether a jump makes its target an entry: it must, if it comes from
   another function and its target is a function's start; it may, if its source
   is in no known function. */
static uint8_t jump_entry(const DcfgProcess* p, const DcfgNode* s,
                          const DcfgNode* t)
{
   uint32_t sym;
   uint64_t first, last;

   if (p->images[t->image].n_symbols == 0)
      return ENTRY_MAY;
   sym = dcfg_symbol_at(p, t->image, t->addr);
   if (sym == DCFG_NONE || p->symbols[sym].addr != t->addr)
      return 0;
   first = function_of(p, s->image, s->addr);
   last = function_of(p, s->image, s->addr + s->last_offset);
   if (first != 0 && last != 0 && first != t->addr && last != t->addr)
      return p->symbols[sym].size == 0 ? ENTRY_MAY : ENTRY_MUST;
   return first == t->addr && last == t->addr ? 0 : ENTRY_MAY;
}

/* Return whether a bypass makes an entry: excluded code was entered in one
   function and left in another. */
static uint8_t bypass_entry(const DcfgProcess* p, const DcfgNode* s,
                            const DcfgNode* t)
{
   uint64_t from = function_of(p, s->image, s->addr);
   uint64_t to   = function_of(p, t->image, t->addr);

   if (p->images[t->image].n_symbols == 0)
      return ENTRY_MAY;
   return from == to ? 0 : from != 0 && to != 0 ? ENTRY_MUST : ENTRY_MAY;
}

static uint8_t edge_entry(const DcfgProcess* p, const DcfgEdge* e)
{
   const DcfgNode* s = &p->nodes[e->source];
   const DcfgNode* t = &p->nodes[e->target];

   if (t->kind != DCFG_NODE_BLOCK)
      return 0;
   if (e->type == DCFG_EDGE_ENTRY || e->type == DCFG_EDGE_CONTEXT_CHANGE
       || dcfg_is_call(e->type))
      return ENTRY_MUST;
   if (!dcfg_is_local(e->type) || s->kind != DCFG_NODE_BLOCK)
      return 0;
   if (s->image != t->image)
      return ENTRY_MUST;
   if (e->type == DCFG_EDGE_EXCLUDED_CODE_BYPASS)
      return bypass_entry(p, s, t);
   return e->type == DCFG_EDGE_REP || e->type == DCFG_EDGE_FALL_THROUGH
          || dcfg_is_bypass(e->type) ? 0 : jump_entry(p, s, t);
}

/* Build the graph of all blocks, with a root as its last node.  The root has
   edges to entries: to all that must be, and to those that may be and are in
   the file.  If LEFT, it also has edges to blocks that nothing else reaches. */
static void build_whole(Look* l, const uint8_t* entry, bool left)
{
   const DcfgProcess* p = l->p;

   flow_reset(&l->g, p->n_blocks + 1);
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const DcfgEdge* e = &p->edges[i];
      if (dcfg_is_local(e->type) && e->source < p->n_blocks
          && e->target < p->n_blocks)
         flow_edge(&l->g, e->source, e->target);
   }
   for (uint32_t i = 0; i < p->n_blocks; i++)
      if ((entry[i] & ENTRY_MUST)
          || ((entry[i] & ENTRY_MAY) && (entry[i] & ENTRY_IS))
          || (left && (entry[i] & ENTRY_LEFT)))
         flow_edge(&l->g, p->n_blocks, i);
   flow_analyse(&l->g, p->n_blocks);
}

/* Return whether a counted edge that leaves its routine leads to BLOCK. */
static bool is_landing(const DcfgProcess* p, uint32_t block)
{
   uint32_t        n;
   const uint32_t* in = dcfg_in_edges(p, block, &n);

   for (uint32_t k = 0; k < n; k++)
      if (p->edges[in[k]].count > 0
          && !dcfg_is_local(p->edges[in[k]].type))
         return true;
   return false;
}

/* Mark all unmarked blocks that START reaches by local edges. */
static void mark_reached(Look* l, uint32_t start)
{
   const DcfgProcess* p = l->p;
   uint32_t           depth = 0;

   if (l->mark[start] != NOWHERE)
      return;
   l->mark[start] = 0;
   l->members[depth++] = start;
   while (depth > 0) {
      uint32_t        n;
      const uint32_t* out = dcfg_out_edges(p, l->members[--depth], &n);
      for (uint32_t k = 0; k < n; k++) {
         const DcfgEdge* e = &p->edges[out[k]];
         if (dcfg_is_local(e->type) && e->target < p->n_blocks
             && l->mark[e->target] == NOWHERE) {
            l->mark[e->target] = 0;
            l->members[depth++] = e->target;
         }
      }
   }
}

/* Find the entries among blocks that no entry reaches.  They are targets of
   returns and the like that no other such block reaches; of several that reach
   each other, the first.  A block that none before it reaches is one of them if
   none behind it reaches it. */
static void mark_left(Look* l, uint8_t* entry)
{
   const DcfgProcess* p = l->p;
   uint32_t*          begins = zalloc(p->n_blocks, sizeof(uint32_t));
   uint32_t           n = 0;

   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (l->g.number[i] == NOWHERE && l->mark[i] == NOWHERE
          && is_landing(p, i)) {
         begins[n++] = i;
         mark_reached(l, i);
      }
   for (uint32_t i = 0; i < p->n_blocks; i++)
      l->mark[i] = NOWHERE;
   while (n-- > 0)
      if (l->mark[begins[n]] == NOWHERE) {
         entry[begins[n]] |= ENTRY_LEFT;
         mark_reached(l, begins[n]);
      }
   for (uint32_t i = 0; i < p->n_blocks; i++) {
      if ((entry[i] & ENTRY_IS) && l->g.number[i] == NOWHERE
          && l->mark[i] == NOWHERE) {
         broken(l->c->rules, "routine-division", "nothing makes block %s the "
                "entry of a routine", node_label(l->c, i));
         entry[i] |= ENTRY_LEFT;
      }
   }
   for (uint32_t i = 0; i < p->n_blocks; i++)
      l->mark[i] = NOWHERE;
   free(begins);
}

static void compare_division(Look* l, const uint8_t* entry)
{
   const DcfgProcess* p = l->p;
   const Flowgraph*   g = &l->g;
   bool               same = true;

   for (uint32_t i = 0; i < p->n_blocks; i++) {
      bool child = g->number[i] != NOWHERE && g->idom[i] == p->n_blocks;
      bool is = (entry[i] & ENTRY_IS) != 0;
      if (entry[i] & (ENTRY_MUST | ENTRY_LEFT)) {
         if (!is)
            broken(l->c->rules, "routine-division", "block %s is an entry by "
                   "its edges, but no routine's", node_label(l->c, i));
      } else if (child && !is) {
         broken(l->c->rules, "routine-division", "block %s is reached by two "
                "routines, but is no entry", node_label(l->c, i));
      } else if (is && !child) {
         broken(l->c->rules, "routine-division", "block %s is an entry "
                "without need", node_label(l->c, i));
      }
      same = same && child == is;
   }
   for (uint32_t i = 0; same && i < p->n_blocks; i++)
      if (g->number[i] != NOWHERE && g->idom[i] != p->n_blocks
          && p->nodes[i].routine != p->nodes[g->idom[i]].routine)
         broken(l->c->rules, "routine-division", "block %s is not in the "
                "routine of its dominator", node_label(l->c, i));
}

/* Check the division into routines: they must be the children of a virtual root
   above all entries, each with all that it dominates.  This is a convention of
   this tool. */
static void check_division(Look* l)
{
   const DcfgProcess* p = l->p;
   uint8_t*           entry = zalloc(p->n_blocks, 1);

   for (uint32_t i = 0; i < p->n_edges; i++)
      if (p->edges[i].target < p->n_blocks)
         entry[p->edges[i].target] |= edge_entry(p, &p->edges[i]);
   for (uint32_t i = 0; i < p->n_routines; i++)
      if (p->routines[i].entry < p->n_blocks)
         entry[p->routines[i].entry] |= ENTRY_IS;
   build_whole(l, entry, false);
   mark_left(l, entry);
   build_whole(l, entry, true);
   compare_division(l, entry);
   free(entry);
}

void check_routines(Check* c)
{
   const DcfgProcess* p = c->p;
   Look               l = { .c = c, .p = p };
   uint32_t           n = p->n_nodes;

   if (p->n_routines == 0)
      return;
   /* A broken file may have special nodes, or a node several times. */
   for (uint32_t i = 0; i < p->n_routines; i++)
      if (p->routines[i].n_nodes > n)
         n = p->routines[i].n_nodes;
   l.local = zalloc(n, sizeof(uint32_t));
   l.mark = zalloc(n, sizeof(uint32_t));
   l.members = zalloc(n, sizeof(uint32_t));
   l.parent = zalloc(n, sizeof(uint32_t));
   l.size = zalloc(n, sizeof(uint32_t));
   l.place = zalloc(n, sizeof(uint32_t));
   l.seen = zalloc(n, sizeof(bool));
   memset(l.mark, 0xff, n * sizeof(uint32_t));
   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (p->nodes[i].routine == DCFG_NONE)
         broken(c->rules, "routine-one", "block %s is in no routine",
                node_label(c, i));
   for (uint32_t i = 0; i < p->n_routines; i++)
      check_routine(&l, i);
   if (c->ours)
      check_division(&l);
   flow_free(&l.g);
   free(l.local);
   free(l.mark);
   free(l.members);
   free(l.parent);
   free(l.size);
   free(l.place);
   free(l.seen);
}
