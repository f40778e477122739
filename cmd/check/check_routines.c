/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Rules of routines, dominators and loops. */

/* Owns: rules of routines and their contents, and the graph algorithms for
   them.  Handed: a loaded process.

   The graph inside a routine has its nodes, and the edges between them that
   stay in a routine.  Dominators and loops are computed for it and compared
   with the file's.

   Dominators are found by the simpler version of T. Lengauer and R. Tarjan's
   algorithm ("A Fast Algorithm for Finding Dominators in a Flowgraph", ACM
   TOPLAS 1(1), 1979): M log N steps for M edges, whatever the graph is.  A
   file may be made for the worst case, which iteration and Semi-NCA have,
   too.  No graph algorithm here is recursive: a graph may be as deep as it
   has nodes. */

#include "cmd/check/check.h"

/*--- Graphs: reachability, dominators, loops              ---*/

#define NOWHERE UINT32_MAX

/* Flowgraph: a graph of nodes 0 to n-1. */
typedef
   struct {
      uint32_t  n, n_edges, room;
      uint32_t* from;           // edges, as they were added
      uint32_t* to;
      uint32_t* first_out;      // out-edges of node i begin at
                                // out[first_out[i]]
      uint32_t* out;
      uint32_t* first_in;
      uint32_t* in;
      uint32_t* order;          // reached nodes in preorder
      uint32_t* number;         // index in .order, or NOWHERE
      uint32_t  n_reached;
      uint32_t* idom;           // the root has itself; or NOWHERE
      uint32_t* enter;          // intervals: a dominates b if b's is inside a's
      uint32_t* leave;
   }
   Flowgraph;

static void resize(uint32_t** a, size_t n)
{
   *a = need(realloc(*a, (n == 0 ? 1 : n) * sizeof(uint32_t)));
}

/* Remove all edges, for N nodes; memory is used again.  At first, G is all
   zero. */
static void flow_reset(Flowgraph* g, uint32_t n)
{
   g->n_edges = 0;
   g->n = n;
   resize(&g->first_out, (size_t)n + 1);
   resize(&g->first_in, (size_t)n + 1);
   resize(&g->order, n);
   resize(&g->number, n);
   resize(&g->idom, n);
   resize(&g->enter, n);
   resize(&g->leave, n);
}

static void flow_edge(Flowgraph* g, uint32_t from, uint32_t to)
{
   if (g->n_edges == g->room) {
      g->room = g->room == 0 ? 256 : 2 * g->room;
      resize(&g->from, g->room);
      resize(&g->to, g->room);
      resize(&g->out, g->room);
      resize(&g->in, g->room);
   }
   g->from[g->n_edges] = from;
   g->to[g->n_edges++] = to;
}

/* Sort edges by KEY; ENDS becomes their other ends. */
static void sort_edges(const Flowgraph* g, const uint32_t* key,
                       const uint32_t* other, uint32_t* first,
                       uint32_t* ends)
{
   memset(first, 0, ((size_t)g->n + 1) * sizeof(*first));
   for (uint32_t i = 0; i < g->n_edges; i++)
      first[key[i] + 1]++;
   for (uint32_t i = 0; i < g->n; i++)
      first[i + 1] += first[i];
   for (uint32_t i = 0; i < g->n_edges; i++)
      ends[first[key[i]]++] = other[i];
   for (uint32_t i = g->n; i > 0; i--)
      first[i] = first[i - 1];
   first[0] = 0;
}

/* Walk depth first, in preorder.  PARENT becomes numbers of nodes.  During the
   walk, .enter is the next edge of each node. */
static void walk(Flowgraph* g, uint32_t root, uint32_t* parent)
{
   uint32_t at = root;

   g->n_reached = 0;
   g->order[g->n_reached] = root;
   g->number[root] = g->n_reached++;
   g->enter[root] = g->first_out[root];
   parent[0] = 0;
   for (;;) {
      if (g->enter[at] < g->first_out[at + 1]) {
         uint32_t next = g->out[g->enter[at]++];
         if (g->number[next] != NOWHERE)
            continue;
         parent[g->n_reached] = g->number[at];
         g->order[g->n_reached] = next;
         g->number[next] = g->n_reached++;
         g->enter[next] = g->first_out[next];
         at = next;
      } else {
         if (at == root)
            break;
         at = g->order[parent[g->number[at]]];
      }
   }
}

/* Search: data for finding dominators, by preorder number. */
typedef
   struct {
      uint32_t* parent;         // in the tree of the walk
      uint32_t* up;             // an ancestor, once linked; else NOWHERE
      uint32_t* semi;           // semidominators
      uint32_t* best;           // node with the least .semi on the way to .up
      uint32_t* idom;
      uint32_t* first;          // list of nodes with this semidominator
      uint32_t* next;
      uint32_t* path;
   }
   Search;

/* Return the node with the least semidominator above V and below the root of
   its tree in the forest.  Compresses the path. */
static uint32_t least(const Search* s, uint32_t v)
{
   uint32_t n = 0;

   if (s->up[v] == NOWHERE)
      return v;
   for (uint32_t u = v; s->up[s->up[u]] != NOWHERE; u = s->up[u])
      s->path[n++] = u;
   while (n > 0) {
      uint32_t u = s->path[--n], above = s->up[u];
      if (s->semi[s->best[above]] < s->semi[s->best[u]])
         s->best[u] = s->best[above];
      s->up[u] = s->up[above];
   }
   return s->best[v];
}

static void find_semidominator(const Flowgraph* g, const Search* s,
                               uint32_t v)
{
   uint32_t node = g->order[v];

   for (uint32_t k = g->first_in[node]; k < g->first_in[node + 1]; k++) {
      uint32_t from = g->number[g->in[k]];
      uint32_t semi = from == NOWHERE ? NOWHERE : s->semi[least(s, from)];
      if (semi < s->semi[v])
         s->semi[v] = semi;
   }
   s->next[v] = s->first[s->semi[v]];
   s->first[s->semi[v]] = v;
}

static void find_dominators(Flowgraph* g, const Search* s)
{
   for (uint32_t v = 0; v < g->n_reached; v++) {
      s->semi[v] = s->best[v] = v;
      s->up[v] = s->first[v] = NOWHERE;
   }
   for (uint32_t v = g->n_reached; v-- > 1; ) {
      uint32_t parent = s->parent[v];
      find_semidominator(g, s, v);
      s->up[v] = parent;
      for (uint32_t w = s->first[parent]; w != NOWHERE; w = s->next[w]) {
         uint32_t u = least(s, w);
         s->idom[w] = s->semi[u] < s->semi[w] ? u : parent;
      }
      s->first[parent] = NOWHERE;
   }
   g->idom[g->order[0]] = g->order[0];
   for (uint32_t v = 1; v < g->n_reached; v++) {
      if (s->idom[v] != s->semi[v])
         s->idom[v] = s->idom[s->idom[v]];
      g->idom[g->order[v]] = g->order[s->idom[v]];
   }
}

/* Give each node of the dominator tree an interval.  In preorder, a node comes
   after its dominator: so sizes of subtrees are summed up from the end, and
   places are assigned from the begin. */
static void number_tree(Flowgraph* g)
{
   uint32_t root = g->n_reached > 0 ? g->order[0] : 0;

   for (uint32_t i = 0; i < g->n_reached; i++)
      g->leave[g->order[i]] = 1;
   for (uint32_t i = g->n_reached; i-- > 1; )
      g->leave[g->idom[g->order[i]]] += g->leave[g->order[i]];
   /* Meanwhile, .enter is the next free place below a node. */
   for (uint32_t i = 0; i < g->n_reached; i++) {
      uint32_t node = g->order[i], up = g->idom[node], size = g->leave[node];
      uint32_t place = node == root ? 0 : g->enter[up];
      if (node != root)
         g->enter[up] += size;
      g->enter[node] = place + 1;
      g->leave[node] = size;
   }
   for (uint32_t i = 0; i < g->n_reached; i++) {
      uint32_t node = g->order[i];
      /* All places below it are taken: go back to the first of them. */
      g->enter[node] -= g->leave[node] - 1;
      g->leave[node] += g->enter[node] - 1;
   }
}

/* Compute what ROOT reaches, and dominators, after all edges. */
static void flow_analyse(Flowgraph* g, uint32_t root)
{
   size_t    n = g->n;
   uint32_t* work = zalloc(8 * n, sizeof(*work));
   Search    s = { work, work + n, work + 2 * n, work + 3 * n, work + 4 * n,
                   work + 5 * n, work + 6 * n, work + 7 * n };

   sort_edges(g, g->from, g->to, g->first_out, g->out);
   sort_edges(g, g->to, g->from, g->first_in, g->in);
   for (uint32_t i = 0; i < g->n; i++)
      g->number[i] = g->idom[i] = NOWHERE;
   walk(g, root, s.parent);
   find_dominators(g, &s);
   number_tree(g);
   free(work);
}

static bool flow_dominates(const Flowgraph* g, uint32_t a, uint32_t b)
{
   return g->number[a] != NOWHERE && g->number[b] != NOWHERE
          && g->enter[a] <= g->enter[b] && g->leave[b] <= g->leave[a];
}

/* Return the outermost loop around V found so far, as a node (union-find). */
static uint32_t outermost(uint32_t* in, uint32_t v)
{
   while (in[v] != v)
      v = in[v] = in[in[v]];
   return v;
}

/* Add the nodes that reach node AT to the loop of HEAD, and to STACK. */
static void gather(const Flowgraph* g, uint32_t head, uint32_t at,
                   uint32_t* parent, uint32_t* in, uint32_t* stack,
                   uint32_t* n)
{
   for (uint32_t k = g->first_in[at]; k < g->first_in[at + 1]; k++) {
      uint32_t from = g->in[k];
      if (g->number[from] == NOWHERE
          || (at == head && !flow_dominates(g, head, from)))
         continue;
      from = outermost(in, from);
      if (from != head) {
         parent[from] = in[from] = head;
         stack[(*n)++] = from;
      }
   }
}

/* Find loops from inner heads to outer ones.  A loop that was found is one
   node, its head: so each edge is visited once. */
static void nest_loops(const Flowgraph* g, uint32_t* parent, bool* is_head)
{
   uint32_t* in = zalloc(g->n, sizeof(*in));
   uint32_t* stack = zalloc(g->n, sizeof(*stack));

   for (uint32_t i = 0; i < g->n; i++) {
      in[i] = i;
      parent[i] = NOWHERE;
   }
   for (uint32_t i = g->n_reached; i-- > 0; ) {
      uint32_t head = g->order[i], n = 0;
      for (uint32_t k = g->first_in[head]; k < g->first_in[head + 1]; k++)
         is_head[head] |= flow_dominates(g, head, g->in[k]);
      gather(g, head, head, parent, in, stack, &n);
      while (n > 0) {
         uint32_t at = stack[--n];
         gather(g, head, at, parent, in, stack, &n);
      }
   }
   FREE_ALL(in, stack);
}

/* Find the natural loops.  PARENT: for each node the head of the smallest loop
   around it, other than its own.  SIZE: for each head the size of its loop, 0
   for other nodes.  PLACE: the loop of a head has the reached nodes with places
   from the head's on. */
static void flow_loops(const Flowgraph* g, uint32_t* parent, uint32_t* size,
                uint32_t* place)
{
   bool*     is_head = zalloc(g->n, sizeof(*is_head));
   uint32_t* next = zalloc(g->n, sizeof(*next));
   uint32_t  free_place = 0;

   nest_loops(g, parent, is_head);
   for (uint32_t i = 0; i < g->n; i++)
      size[i] = 1;
   /* In preorder, a loop's head comes before its other nodes. */
   for (uint32_t i = g->n_reached; i-- > 0; )
      if (parent[g->order[i]] != NOWHERE)
         size[parent[g->order[i]]] += size[g->order[i]];
   for (uint32_t i = 0; i < g->n_reached; i++) {
      uint32_t  node = g->order[i];
      uint32_t* from = parent[node] == NOWHERE ? &free_place
                                               : &next[parent[node]];
      place[node] = *from;
      next[node] = *from + 1;
      *from += size[node];
   }
   for (uint32_t i = 0; i < g->n; i++)
      if (!is_head[i])
         size[i] = 0;
   FREE_ALL(is_head, next);
}

static void flow_free(Flowgraph* g)
{
   FREE_ALL(g->from, g->to, g->first_out, g->out, g->first_in, g->in, g->order,
            g->number, g->idom, g->enter, g->leave);
   memset(g, 0, sizeof(*g));
}

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
      uint32_t*          members;       // reached nodes, by place; a stack
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

static void build_inside(Look* look, uint32_t routine)
{
   const DcfgProcess* p = look->p;

   look->nodes = dcfg_routine_nodes(p, routine, &look->n);
   for (uint32_t i = 0; i < look->n; i++)
      look->local[look->nodes[i]] = i;
   flow_reset(&look->g, look->n);
   for (uint32_t i = 0; i < look->n; i++) {
      uint32_t        n;
      const uint32_t* out = dcfg_out_edges(p, look->nodes[i], &n);
      for (uint32_t k = 0; k < n; k++) {
         const DcfgEdge* e = &p->edges[out[k]];
         if (dcfg_is_local(e->type) && e->target < p->n_blocks
             && p->nodes[e->target].routine == routine)
            flow_edge(&look->g, i, look->local[e->target]);
      }
   }
}

static const char* id_of(const Look* look, uint32_t node)
{
   return node < look->p->n_nodes
          ? text_format("%" PRIu32, look->p->nodes[node].id) : "nothing";
}

static void check_idoms(Look* look, uint32_t routine)
{
   const DcfgProcess* p = look->p;
   uint32_t           entry = p->routines[routine].entry;

   for (uint32_t i = 0; i < look->n; i++) {
      uint32_t node = look->nodes[i], idom = p->nodes[node].idom;
      if (p->nodes[node].routine != routine)
         continue;                      // already reported: it is in two
                                        // routines
      if (look->g.number[i] == NOWHERE)
         broken(look->c->rules, "routine-reach", "routine %s: block %s cannot "
                "be reached inside it", node_label(look->c, entry),
                node_label(look->c, node));
      else if (node == entry && idom != entry)
         broken(look->c->rules, "routine-entry", "routine %s: its entry's "
                "IDOM_NODE_ID is %s", node_label(look->c, entry),
                id_of(look, idom));
      else if (idom != look->nodes[look->g.idom[i]])
         broken(look->c->rules, "routine-idom", "routine %s: block %s has the "
                "IDOM_NODE_ID %s, its dominator is %s",
                node_label(look->c, entry), node_label(look->c, node),
                id_of(look, idom), id_of(look, look->nodes[look->g.idom[i]]));
   }
}

/* Check exits: nodes with a counted edge that leaves the routine.  If such an
   edge was never taken, which another rule reports, both answers are right. */
static void check_exits(Look* look, uint32_t routine)
{
   const DcfgProcess* p = look->p;
   uint32_t           entry = p->routines[routine].entry, n;
   const uint32_t*    exits = dcfg_routine_exits(p, routine, &n);

   for (uint32_t i = 0; i < look->n; i++)
      look->mark[look->nodes[i]] = 0;
   for (uint32_t i = 0; i < n; i++) {
      if (p->nodes[exits[i]].routine != routine) {
         broken(look->c->rules, "routine-exits",
                "routine %s: exit %s is not in "
                "it", node_label(look->c, entry), id_of(look, exits[i]));
         continue;
      }
      if (look->mark[exits[i]] == 1)
         broken(look->c->rules, "routine-exits", "routine %s: exit %s stands "
                "there twice", node_label(look->c, entry),
                id_of(look, exits[i]));
      look->mark[exits[i]] = 1;
      if (look->c->ours && i > 0 && exits[i] < exits[i - 1])
         broken(look->c->rules, "order", "routine %s: exit %s follows %s",
                node_label(look->c, entry), id_of(look, exits[i]),
                id_of(look, exits[i - 1]));
   }
   for (uint32_t i = 0; i < look->n; i++) {
      uint32_t        node = look->nodes[i], m;
      const uint32_t* out = dcfg_out_edges(p, node, &m);
      bool            must = false, may = false;
      for (uint32_t k = 0; k < m; k++) {
         const DcfgEdge* e = &p->edges[out[k]];
         if (e->target < p->n_nodes && p->nodes[e->target].routine == routine)
            continue;
         must = must || e->count > 0;
         may = may || !dcfg_is_bypass(e->type);
      }
      if (must && look->mark[node] == 0)
         broken(look->c->rules, "routine-exits",
                "routine %s: block %s leaves it "
                "but is no exit", node_label(look->c, entry),
                node_label(look->c, node));
      else if (!must && !may && look->mark[node] == 1)
         broken(look->c->rules, "routine-exits", "routine %s: exit %s has no "
                "edge out of it", node_label(look->c, entry),
                node_label(look->c, node));
   }
   for (uint32_t i = 0; i < look->n; i++)
      look->mark[look->nodes[i]] = NOWHERE;
}

/*--- Its loops                                            ---*/

/* Return a block of the loop of HEAD that is not among the N blocks of FILE,
   which all belong to it and are fewer than its blocks. */
static uint32_t missing_member(Look* look, const uint32_t* file, uint32_t n,
                               uint32_t head)
{
   uint32_t place = look->place[head];

   for (uint32_t i = 0; i < n; i++)
      look->mark[look->local[file[i]]] = head;
   while (look->mark[look->members[place]] == head)
      place++;
   for (uint32_t i = 0; i < n; i++)
      look->mark[look->local[file[i]]] = NOWHERE;
   return look->nodes[look->members[place]];
}

/* Each element of the list is visited a few times, and no other block of the
   loop: nested loops have many.  The list is sorted, so nodes that are there
   twice are neighbours. */
static void check_members(Look* look, uint32_t loop, const char* where)
{
   const DcfgProcess* p = look->p;
   uint32_t           head = look->local[p->loops[loop].head], n;
   const uint32_t*    file = dcfg_loop_nodes(p, loop, &n);
   const char*        how = NULL;

   for (uint32_t i = 0; how == NULL && i < n; i++) {
      uint32_t m = look->local[file[i]];
      if (p->nodes[file[i]].routine != p->loops[loop].routine
          || look->g.number[m] == NOWHERE
          || look->place[m] < look->place[head]
          || look->place[m] - look->place[head] >= look->size[head])
         how = text_format("%s does not belong to it", id_of(look, file[i]));
      else if (i > 0 && file[i] == file[i - 1])
         how = text_format("%s stands there twice", id_of(look, file[i]));
   }
   if (how == NULL && n < look->size[head])
      how = text_format("%s is missing",
                        id_of(look, missing_member(look, file, n, head)));
   if (how != NULL)
      broken(look->c->rules, "loop-members", "%s has %" PRIu32
             " blocks, should have %" PRIu32 "; %s", where, n,
             look->size[head], how);
}

/* Marks of a back edge's source. */
enum { LISTED, NOT_LISTED };

/* Each edge and each element of the list is visited once. */
static void check_backs(Look* look, uint32_t loop, const char* where)
{
   const DcfgProcess* p = look->p;
   uint32_t           head = look->local[p->loops[loop].head], n;
   uint32_t           first = look->g.first_in[head];
   uint32_t           end = look->g.first_in[head + 1];
   const uint32_t*    backs = dcfg_loop_backs(p, loop, &n);

   for (uint32_t k = first; k < end; k++)
      if (flow_dominates(&look->g, head, look->g.in[k]))
         look->mark[look->g.in[k]] = NOT_LISTED;
   for (uint32_t i = 0; i < n; i++) {
      uint32_t b = backs[i];
      bool     inside = p->nodes[b].routine == p->loops[loop].routine;
      if (look->c->ours && i > 0 && b < backs[i - 1])
         broken(look->c->rules, "order", "%s: back edge source %s follows %s",
                where, id_of(look, b), id_of(look, backs[i - 1]));
      if (!inside || look->mark[look->local[b]] == NOWHERE)
         broken(look->c->rules, "loop-back-edges", "%s: there is no back edge "
                "from %s", where, id_of(look, b));
      else if (look->mark[look->local[b]] == LISTED)
         broken(look->c->rules, "loop-back-edges", "%s: back edge source %s "
                "stands there twice", where, id_of(look, b));
      else
         look->mark[look->local[b]] = LISTED;
   }
   for (uint32_t k = first; k < end; k++)
      if (look->mark[look->g.in[k]] == NOT_LISTED)
         broken(look->c->rules, "loop-back-edges",
                "%s: the back edge from %s is "
                "missing", where, id_of(look, look->nodes[look->g.in[k]]));
   for (uint32_t k = first; k < end; k++)
      look->mark[look->g.in[k]] = NOWHERE;
}

static void check_loop(Look* look, uint32_t loop, const char* here)
{
   const DcfgProcess* p = look->p;
   const DcfgLoop*    f = &p->loops[loop];
   const char*        where = here;
   uint32_t           head, parent, up;
   char*              copy;

   if (f->head == DCFG_NONE || p->nodes[f->head].routine != f->routine) {
      broken(look->c->rules, "loop-false",
             "%s: the head %s of a loop is not in "
             "it", here, id_of(look, f->head));
      return;
   }
   head = look->local[f->head];
   copy = text_copy(text_format("%s, loop %s", here,
                                node_label(look->c, f->head)));
   where = copy;
   if (look->size[head] == 0) {
      broken(look->c->rules, "loop-false", "%s: no back edge goes there",
             where);
   } else if (!look->seen[head]) {      // twice: loading has reported it

      check_backs(look, loop, where);
      check_members(look, loop, where);
      parent = look->parent[head];
      up = parent == NOWHERE ? DCFG_NONE : look->nodes[parent];
      if (up != (f->parent == DCFG_NONE ? DCFG_NONE
                 : p->loops[f->parent].head))
         broken(look->c->rules, "loop-parent", "%s has the parent %s, should "
                "have %s", where, f->parent == DCFG_NONE ? "nothing"
                : id_of(look, p->loops[f->parent].head), id_of(look, up));
   }
   free(copy);
}

static void check_loops(Look* look, uint32_t routine)
{
   const DcfgProcess* p = look->p;
   const DcfgRoutine* r = &p->routines[routine];
   char*              here = text_copy(text_format("routine %s",
                                          node_label(look->c, r->entry)));

   flow_loops(&look->g, look->parent, look->size, look->place);
   for (uint32_t i = 0; i < look->g.n_reached; i++)
      look->members[look->place[look->g.order[i]]] = look->g.order[i];
   memset(look->seen, 0, look->n * sizeof(*look->seen));
   for (uint32_t i = 0; i < r->n_loops; i++) {
      uint32_t head = p->loops[r->first_loop + i].head;
      check_loop(look, r->first_loop + i, here);
      if (head != DCFG_NONE && p->nodes[head].routine == routine)
         look->seen[look->local[head]] = true;
      if (look->c->ours && i > 0 && head < p->loops[r->first_loop + i - 1].head)
         broken(look->c->rules, "order", "%s: loop %s follows %s", here,
                id_of(look, head),
                id_of(look, p->loops[r->first_loop + i - 1].head));
   }
   for (uint32_t i = 0; i < look->n; i++)
      if (look->size[i] > 0 && !look->seen[i])
         broken(look->c->rules, "loop-missing", "%s: there is no loop with the "
                "head %s", here, node_label(look->c, look->nodes[i]));
   free(here);
}

static void check_routine(Look* look, uint32_t routine)
{
   const DcfgProcess* p = look->p;
   const DcfgRoutine* r = &p->routines[routine];

   if (look->c->ours && routine > 0 && r->entry < r[-1].entry)
      broken(look->c->rules, "order", "ROUTINES: routine %s follows %s",
             id_of(look, r->entry), id_of(look, r[-1].entry));
   if (r->entry == DCFG_NONE)
      return;
   build_inside(look, routine);
   for (uint32_t i = 0; i < look->n; i++)
      if (p->nodes[look->nodes[i]].image != r->image)
         broken(look->c->rules, "routine-image", "routine %s: block %s is in "
                "another image", node_label(look->c, r->entry),
                node_label(look->c, look->nodes[i]));
   if (p->nodes[r->entry].routine != routine) {
      broken(look->c->rules, "routine-entry", "routine %s: its entry is not "
             "among its NODES", node_label(look->c, r->entry));
      return;
   }
   flow_analyse(&look->g, look->local[r->entry]);
   check_idoms(look, routine);
   check_exits(look, routine);
   check_loops(look, routine);
}

/*--- The division into routines                           ---*/

enum { ENTRY_MUST = 1, ENTRY_MAY = 2, ENTRY_IS = 4, ENTRY_LEFT = 8 };

/* Return the start of the function at ADDR, or 0.  Symbols without a size do
   not tell where they end. */
static uint64_t function_of(const DcfgProcess* process, uint32_t image,
                            uint64_t addr)
{
   uint32_t s = dcfg_symbol_at(process, image, addr);

   return s == DCFG_NONE || process->symbols[s].size == 0
          ? 0 : process->symbols[s].addr;
}

/* Return whether a jump makes its target an entry: it must, if it comes from
   another function and its target is a function's start; it may, if its source
   is in no known function. */
static uint8_t jump_entry(const DcfgProcess* process, const DcfgNode* s,
                          const DcfgNode* t)
{
   uint32_t sym;
   uint64_t first, last;

   if (process->images[t->image].n_symbols == 0)
      return ENTRY_MAY;
   sym = dcfg_symbol_at(process, t->image, t->addr);
   if (sym == DCFG_NONE || process->symbols[sym].addr != t->addr)
      return 0;
   first = function_of(process, s->image, s->addr);
   last = function_of(process, s->image, s->addr + s->last_offset);
   if (first != 0 && last != 0 && first != t->addr && last != t->addr)
      return process->symbols[sym].size == 0 ? ENTRY_MAY : ENTRY_MUST;
   return first == t->addr && last == t->addr ? 0 : ENTRY_MAY;
}

/* Return whether a bypass makes an entry: excluded code was entered in one
   function and left in another. */
static uint8_t bypass_entry(const DcfgProcess* process, const DcfgNode* s,
                            const DcfgNode* t)
{
   uint64_t from = function_of(process, s->image, s->addr);
   uint64_t to   = function_of(process, t->image, t->addr);

   if (process->images[t->image].n_symbols == 0)
      return ENTRY_MAY;
   return from == to ? 0 : from != 0 && to != 0 ? ENTRY_MUST : ENTRY_MAY;
}

static uint8_t edge_entry(const DcfgProcess* process, const DcfgEdge* e)
{
   const DcfgNode* s = &process->nodes[e->source];
   const DcfgNode* t = &process->nodes[e->target];

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
      return bypass_entry(process, s, t);
   return e->type == DCFG_EDGE_REP || e->type == DCFG_EDGE_FALL_THROUGH
          || dcfg_is_bypass(e->type) ? 0 : jump_entry(process, s, t);
}

/* Build the graph of all blocks, with a root as its last node.  The root has
   edges to entries: to all that must be, and to those that may be and are in
   the file.  If LEFT, it also has edges to blocks that nothing else reaches. */
static void build_whole(Look* look, const uint8_t* entry, bool left)
{
   const DcfgProcess* p = look->p;

   flow_reset(&look->g, p->n_blocks + 1);
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const DcfgEdge* e = &p->edges[i];
      if (dcfg_is_local(e->type) && e->source < p->n_blocks
          && e->target < p->n_blocks)
         flow_edge(&look->g, e->source, e->target);
   }
   for (uint32_t i = 0; i < p->n_blocks; i++)
      if ((entry[i] & ENTRY_MUST)
          || ((entry[i] & ENTRY_MAY) && (entry[i] & ENTRY_IS))
          || (left && (entry[i] & ENTRY_LEFT)))
         flow_edge(&look->g, p->n_blocks, i);
   flow_analyse(&look->g, p->n_blocks);
}

/* Return whether a counted edge that leaves its routine leads to BLOCK. */
static bool is_landing(const DcfgProcess* process, uint32_t block)
{
   uint32_t        n;
   const uint32_t* in = dcfg_in_edges(process, block, &n);

   for (uint32_t k = 0; k < n; k++)
      if (process->edges[in[k]].count > 0
          && !dcfg_is_local(process->edges[in[k]].type))
         return true;
   return false;
}

/* Mark all unmarked blocks that START reaches by local edges. */
static void mark_reached(Look* look, uint32_t start)
{
   const DcfgProcess* p = look->p;
   uint32_t           depth = 0;

   if (look->mark[start] != NOWHERE)
      return;
   look->mark[start] = 0;
   look->members[depth++] = start;
   while (depth > 0) {
      uint32_t        n;
      const uint32_t* out = dcfg_out_edges(p, look->members[--depth], &n);
      for (uint32_t k = 0; k < n; k++) {
         const DcfgEdge* e = &p->edges[out[k]];
         if (dcfg_is_local(e->type) && e->target < p->n_blocks
             && look->mark[e->target] == NOWHERE) {
            look->mark[e->target] = 0;
            look->members[depth++] = e->target;
         }
      }
   }
}

/* Find the entries among blocks that no entry reaches.  They are targets of
   returns and the like that no other such block reaches; of several that reach
   each other, the first.  A block that none before it reaches is one of them if
   none behind it reaches it. */
static void mark_left(Look* look, uint8_t* entry)
{
   const DcfgProcess* p = look->p;
   uint32_t*          begins = zalloc(p->n_blocks, sizeof(uint32_t));
   uint32_t           n = 0;

   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (look->g.number[i] == NOWHERE && look->mark[i] == NOWHERE
          && is_landing(p, i)) {
         begins[n++] = i;
         mark_reached(look, i);
      }
   for (uint32_t i = 0; i < p->n_blocks; i++)
      look->mark[i] = NOWHERE;
   while (n-- > 0)
      if (look->mark[begins[n]] == NOWHERE) {
         entry[begins[n]] |= ENTRY_LEFT;
         mark_reached(look, begins[n]);
      }
   for (uint32_t i = 0; i < p->n_blocks; i++) {
      if ((entry[i] & ENTRY_IS) && look->g.number[i] == NOWHERE
          && look->mark[i] == NOWHERE) {
         broken(look->c->rules, "routine-division",
                "nothing makes block %s the "
                "entry of a routine", node_label(look->c, i));
         entry[i] |= ENTRY_LEFT;
      }
   }
   for (uint32_t i = 0; i < p->n_blocks; i++)
      look->mark[i] = NOWHERE;
   free(begins);
}

static void compare_division(Look* look, const uint8_t* entry)
{
   const DcfgProcess* p = look->p;
   const Flowgraph*   g = &look->g;
   bool               same = true;

   for (uint32_t i = 0; i < p->n_blocks; i++) {
      bool child = g->number[i] != NOWHERE && g->idom[i] == p->n_blocks;
      bool is = (entry[i] & ENTRY_IS) != 0;
      if (entry[i] & (ENTRY_MUST | ENTRY_LEFT)) {
         if (!is)
            broken(look->c->rules, "routine-division",
                   "block %s is an entry by "
                   "its edges, but no routine's", node_label(look->c, i));
      } else if (child && !is) {
         broken(look->c->rules, "routine-division",
                "block %s is reached by two "
                "routines, but is no entry", node_label(look->c, i));
      } else if (is && !child) {
         broken(look->c->rules, "routine-division", "block %s is an entry "
                "without need", node_label(look->c, i));
      }
      same = same && child == is;
   }
   for (uint32_t i = 0; same && i < p->n_blocks; i++)
      if (g->number[i] != NOWHERE && g->idom[i] != p->n_blocks
          && p->nodes[i].routine != p->nodes[g->idom[i]].routine)
         broken(look->c->rules, "routine-division", "block %s is not in the "
                "routine of its dominator", node_label(look->c, i));
}

/* Check the division into routines: they must be the children of a virtual root
   above all entries, each with all that it dominates.  This is a convention of
   this tool. */
static void check_division(Look* look)
{
   const DcfgProcess* p = look->p;
   uint8_t*           entry = zalloc(p->n_blocks, 1);

   for (uint32_t i = 0; i < p->n_edges; i++)
      if (p->edges[i].target < p->n_blocks)
         entry[p->edges[i].target] |= edge_entry(p, &p->edges[i]);
   for (uint32_t i = 0; i < p->n_routines; i++)
      if (p->routines[i].entry < p->n_blocks)
         entry[p->routines[i].entry] |= ENTRY_IS;
   build_whole(look, entry, false);
   mark_left(look, entry);
   build_whole(look, entry, true);
   compare_division(look, entry);
   free(entry);
}

void check_routines(Check* check)
{
   const DcfgProcess* p = check->p;
   Look               l = { .c = check, .p = p };
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
         broken(check->rules, "routine-one", "block %s is in no routine",
                node_label(check, i));
   for (uint32_t i = 0; i < p->n_routines; i++)
      check_routine(&l, i);
   if (check->ours)
      check_division(&l);
   flow_free(&l.g);
   FREE_ALL(l.local, l.mark, l.members, l.parent, l.size, l.place, l.seen);
}
