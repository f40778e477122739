/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The path of a thread through the graph, from its record, edge by edge. */

/* Owns: the tables that turn bits and targets into edges, and the walk along a
   record.  Handed: the graph, superblocks and events by tool/run/gather.c,
   records by tool/trace/record.c.

   Ways.  A node's last instruction determines what to read from the record.
   The superblocks with that instruction determine where each outcome leads.
   Most nodes have one way out.  They are skipped: for each edge there is the
   next node with a decision.

   The walk.  It starts at the thread's first instruction.  At each node, it
   reads from the record what the node's last instruction recorded.  It goes
   slowly through nodes where an event happened, and those that lead to an
   address whose code changed.  An event has come when the walk is at the node
   of the event and has read as many bits and targets as were recorded before
   it.  tool/trace/record.c explains why this moment is unique. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"
#include "format/order.h"
#include "tool/base/core.h"
#include "tool/files/stream.h"
#include "tool/run/landing.h"
#include "tool/run/thread.h"
#include "tool/trace/record.h"
#include "tool/trace/replay.h"

/*--- The tables                                           ---*/

#define NONE DCFG_NO_INSTR

/* FoundTarget: a way for a target, before the tables are made. */
typedef
   struct {
      UInt node;
      UInt number;
      UInt edge;
   }
   FoundTarget;

typedef
   struct {
      Ways*   w;
      XArray* targets;        // FoundTarget
      XArray* changing;       // ChangingWay
      UInt*   number_of_addr; // numbers sorted by address, see find_number
      UInt*   only_edge;      // for each node: its one out-edge, or 0
      const Superblock* sb;   // the present superblock
      UInt    node;           // the node that the present instruction ends
      InsnRecord record;      // its record
   }
   Finder;

/*--- Edges of a node                                      ---*/

/* Return the counted edge between two nodes, or 0. */
static UInt edge_between(const Ways* ways, UInt source, UInt target)
{
   const Edge* edges = ways->p->graph->edges;
   UInt lo = ways->first_edge[source];

   BISECT(lo, ways->first_edge[source + 1], mid,
          edges[mid - 1].target < target);
   return lo < ways->first_edge[source + 1] && edges[lo - 1].target == target
          && edges[lo - 1].n_counts > 0 ? lo : 0;
}

static UInt node_of_instr(const Gathered* gathered, UInt instr)
{
   return gathered->graph->node_of[instr];
}

/* Return whether INSTR is the last one of its block. */
static Bool ends_block(const Gathered* gathered, UInt instr)
{
   const Block* b = &gathered->graph->blocks[node_of_instr(gathered, instr)
                                             - NodeFirstBlock];
   return b->addr + b->last_offset == gathered->instrs[instr].addr;
}

/*--- Ways                                                 ---*/

COMPARE(cmp_addrs, UInt,
        ORDER(DCFG_(target_of_number)(*x), DCFG_(target_of_number)(*y)))

/* Return the number of target A, or NONE if it was never recorded. */
static UInt find_number(const Finder* f, Addr a)
{
   UInt lo = 0, n = DCFG_(n_target_numbers)();

   BISECT(lo, n, mid, DCFG_(target_of_number)(f->number_of_addr[mid]) < a);
   return lo < n && DCFG_(target_of_number)(f->number_of_addr[lo]) == a
          ? f->number_of_addr[lo] : NONE;
}

/* Add the edge E to the present node's ways, for BIT or for target number
   BIT. */
static void add_edge(Finder* f, UInt bit, UInt e)
{
   NodeWays* n = &f->w->nodes[f->node];

   if (e == 0)
      return;
   if (n->record == RecordTarget) {
      FoundTarget t = { f->node, bit, e };
      VG_(addToXA)(f->targets, &t);
   } else {
      n->way[bit].edge = e;
   }
}

/* Likewise, for a jump to ADDR. */
static void add_way(Finder* f, UInt bit, Addr addr, Bool unredirected)
{
   const Gathered* p = f->w->p;
   Target          t = DCFG_(target_now)(addr, unredirected);

   if (DCFG_(has_versions)(addr, unredirected)) {
      ChangingWay c = { f->node, bit, addr, unredirected, 0, 0 };
      VG_(addToXA)(f->changing, &c);
      f->w->nodes[f->node].kind = WalkSlowly;
      return;
   }
   UInt to = DCFG_(find_landing)(p, t);
   if (to != NONE)
      add_edge(f, bit, edge_between(f->w, f->node,
                                    node_of_instr(p, to)));
}

static Bool bit_of(const Instr* in, Addr target)
{
   return DCFG_(bit_of_way)(in->kind, in->addr, in->len, target);
}

/* Add the ways from the end of the superblock, whose last instruction is IN. */
static void add_end(Finder* f, const Instr* in)
{
   const Superblock* sb = f->sb;

   if (f->record == RecordTarget) {
      if (sb->end == EndDirect) {
         UInt number = find_number(f, sb->next);
         if (number != NONE)
            add_way(f, number, sb->next, sb->unredirected);
         return;
      }
      for (const Pair* p = sb->branch->first_pair; p != NULL; p = p->next) {
         UInt number = find_number(f, p->target);
         if (number != NONE)
            add_way(f, number, p->target, sb->unredirected);
      }
      return;
   }
   add_way(f, f->record == RecordBit && bit_of(in, sb->next), sb->next,
           sb->unredirected);
}

/* Add the ways from the superblock's instruction K, which has index I. */
static void add_ways(Finder* f, UInt k, UInt i)
{
   const Superblock* sb = f->sb;
   const Instr*      in = &f->w->p->instrs[i];
   Addr              next = in->addr + in->len;

   for (UInt x = 0; x < sb->n_exits; x++) {
      const SbExit* e = &sb->exits[x];
      if (e->instr != k || f->record != RecordBit)
         continue;
      add_way(f, bit_of(in, e->target), e->target, False);
      /* `jz .+0`: both directions lead to the same instruction. */
      if (in->kind == InsnCond && e->target == next && sb->next == next)
         add_way(f, 1, e->target, False);
   }
   if (k + 1u == sb->n_instrs) {
      add_end(f, in);
   } else {
      UInt behind = DCFG_(find_instr)(f->w->p, sb->image, next);
      if (behind != NONE)
         add_edge(f, 0, edge_between(f->w, f->node,
                                     node_of_instr(f->w->p, behind)));
   }
}

static void find_superblock_ways(Finder* f, const Superblock* sb)
{
   const Gathered* p = f->w->p;
   Addr            a = sb->addr;

   f->sb = sb;
   if (p->n_instrs == 0)
      return;
   UInt i = DCFG_(find_instr)(p, sb->image, a);
   for (UInt k = 0; k < sb->n_instrs && i != NONE; k++) {
      if (ends_block(p, i)) {
         f->node = node_of_instr(p, i);
         f->record = DCFG_(recorded)(sb, k);
         f->w->nodes[f->node].record = f->record;
         add_ways(f, k, i);
      }
      a += sb->lengths[k];
      UInt image = p->instrs[i].image;
      while (i < p->n_instrs && p->instrs[i].image == image
             && p->instrs[i].addr < a)
         i++;
      if (i == p->n_instrs || p->instrs[i].image != image
          || p->instrs[i].addr != a)
         i = NONE;
   }
}

/*--- Tables                                               ---*/

COMPARE(cmp_targets, FoundTarget, UP(node) ?: UP(number))

static void put_target(TargetWay* table, UInt mask, const FoundTarget* t)
{
   UInt i = t->number & mask;

   while (table[i].way.edge != 0) {
      if (table[i].number == t->number)
         return;
      i = (i + 1) & mask;
   }
   table[i].number = t->number;
   table[i].way.edge = t->edge;
}

/* Make a hash table for each node, whose size is a power of two and which is at
   most a quarter full.  Return the size of all. */
static UInt make_tables(Finder* f)
{
   Ways* w = f->w;
   Word  n = VG_(sizeXA)(f->targets), i, j;
   UInt  room = 1;                      // index 0 is an empty table

   VG_(setCmpFnXA)(f->targets, cmp_targets);
   VG_(sortXA)(f->targets);
   for (Int pass = 0; pass < 2; pass++) {
      UInt used = 1;
      for (i = 0; i < n; i = j) {
         const FoundTarget* t = VG_(indexXA)(f->targets, i);
         UInt size = 2;
         for (j = i; j < n; j++)
            if (((FoundTarget*)VG_(indexXA)(f->targets, j))->node != t->node)
               break;
         while (size < 4 * (UInt)(j - i))
            size *= 2;
         w->nodes[t->node].table = used;
         w->nodes[t->node].mask  = size - 1;
         for (Word k = i; k < j && pass == 1; k++)
            put_target(w->table + used, size - 1,
                       VG_(indexXA)(f->targets, k));
         used += size;
      }
      room = used;
      if (pass == 0)
         w->table = VG_(calloc)("dcfg.ways.table", room, sizeof(TargetWay));
   }
   return room;
}

COMPARE(cmp_changing, ChangingWay, UP(node) ?: UP(bit))

/* Return the element of the hash table that has the changing way of NODE for
   BIT, or the free one where it would be. */
static UInt* changing_slot(const Ways* ways, UInt node, UInt bit)
{
   UInt i = (node * 0x9E3779B1u + bit * 0x85EBCA6Bu) & ways->changing_mask;

   for (; ways->changing_at[i] != 0; i = (i + 1) & ways->changing_mask) {
      const ChangingWay* c = &ways->changing[ways->changing_at[i] - 1];
      if (c->node == node && c->bit == bit)
         break;
   }
   return &ways->changing_at[i];
}

static void index_changing(Ways* ways)
{
   UInt size = 2;

   while (size < 2 * ways->n_changing)
      size *= 2;
   ways->changing_mask = size - 1;
   ways->changing_at   = VG_(calloc)("dcfg.ways.changing", size, sizeof(UInt));
   for (UInt i = 0; i < ways->n_changing; i++) {
      UInt* slot = changing_slot(ways, ways->changing[i].node,
                                 ways->changing[i].bit);
      if (*slot == 0)
         *slot = i + 1;
   }
}

static void keep_changing(Finder* f)
{
   UInt n = VG_(sizeXA)(f->changing);

   VG_(setCmpFnXA)(f->changing, cmp_changing);
   VG_(sortXA)(f->changing);
   f->w->n_changing = n;
   f->w->changing   = VG_(malloc)("dcfg.ways.changing",
                                  (n + 1) * sizeof(ChangingWay));
   if (n > 0)
      VG_(memcpy)(f->w->changing, VG_(indexXA)(f->changing, 0),
                  n * sizeof(ChangingWay));
   index_changing(f->w);
}

/* Return the changing way of NODE for BIT or a target's number, or NULL. */
static ChangingWay* changing_way(const Ways* ways, UInt node, UInt bit)
{
   UInt i = *changing_slot(ways, node, bit);
   return i == 0 ? NULL : &ways->changing[i - 1];
}

/*--- Where events happened                                ---*/

static UInt add_place(const Gathered* gathered, const Superblock* sb, UInt k,
                      Bool if_taken, NodePlace* places, UInt n)
{
   UInt instr = DCFG_(find_instr)(gathered, sb->image,
                                  DCFG_(instr_addr)(sb, k));

   if (instr == NONE || n == DCFG_MAX_PLACES)
      return n;
   places[n].node     = node_of_instr(gathered, instr);
   places[n].behind   = ends_block(gathered, instr);
   places[n].if_taken = if_taken;
   return n + 1;
}

static UInt node_places(const Gathered* gathered, const Position* pos,
                        NodePlace* places)
{
   UInt n = 0;

   if (pos->sb == 0)
      return 0;
   const Superblock* sb   = DCFG_(superblock)(pos->sb);
   UInt              last = sb->n_instrs - 1;
   if (pos->n_done > 0)
      return add_place(gathered, sb, pos->n_done - 1, False, places, 0);
   /* The thread has left the superblock, at its end or before. */
   n = add_place(gathered, sb, last, False, places, n);
   for (UInt i = 0; i < sb->n_exits; i++)
      if (sb->exits[i].instr != last
          && sb->exits[i].target == pos->target.addr)
         n = add_place(gathered, sb, sb->exits[i].instr, True, places, n);
   return n;
}

static void mark_slow(Ways* ways, const Position* pos)
{
   NodePlace places[DCFG_MAX_PLACES];
   UInt      n = node_places(ways->p, pos, places);

   for (UInt i = 0; i < n; i++)
      ways->nodes[places[i].node].kind = WalkSlowly;
}

static void mark_events(Ways* ways)
{
   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo  info;
      Recording   rec;
      RecordEvent e;
      DCFG_(thread_info)(t, &info);
      DCFG_(recording)(DCFG_(recorder_of_thread)(t), &rec);
      for (ULong at = 0;
           DCFG_(read_stream)(rec.events, at, &e, sizeof(e)) == sizeof(e);
           at += sizeof(e))
         mark_slow(ways, &e.from);
      mark_slow(ways, &info.last);
   }
}

/*--- Nodes and jumps                                      ---*/

static void set_kinds(const Finder* f)
{
   Ways* w = f->w;

   w->nodes[NodeEnd].kind     = WalkEnd;
   w->nodes[NodeUnknown].kind = WalkSlowly;
   for (UInt node = NodeFirstBlock; node < w->n_nodes; node++) {
      NodeWays* n = &w->nodes[node];
      n->is_decision = f->only_edge[node] == 0;
      if (n->kind == WalkSlowly)
         continue;
      if (!n->is_decision)
         n->kind = WalkOn;
      else
         n->kind = n->record == RecordBit      ? WalkBit
                   : n->record == RecordTarget ? WalkTarget : WalkSlowly;
   }
}

/* Find where a walk that comes to each node stops next. */
static Way* find_stops(const Finder* f)
{
   const Ways* w = f->w;
   Way*  stops = VG_(calloc)("dcfg.ways.stops", w->n_nodes, sizeof(Way));
   UInt* path  = VG_(malloc)("dcfg.ways.path", w->n_nodes * sizeof(UInt));

   for (UInt start = NodeEnd; start < w->n_nodes; start++) {
      UInt n = 0, node = start;
      /* This loop ends: something is recorded in every cycle, and every cycle
         was left. */
      while (w->nodes[node].kind == WalkOn && stops[node].node == 0
             && n < w->n_nodes) {
         path[n++] = node;
         node = w->p->graph->edges[f->only_edge[node] - 1].target;
      }
      if (stops[node].node == 0)
         stops[node].node = node;
      while (n > 0) {
         Way on = stops[node];
         node = path[--n];
         stops[node].node   = on.node;
         stops[node].n_bits = on.n_bits
                              + (w->nodes[node].record == RecordBit);
         stops[node].n_targets = on.n_targets
                                 + (w->nodes[node].record == RecordTarget);
      }
   }
   VG_(free)(path);
   return stops;
}

static void link_ways(const Finder* f, UInt table_size)
{
   Ways*        w     = f->w;
   const Graph* g     = w->p->graph;
   Way*         stops = find_stops(f);

   w->ways = VG_(calloc)("dcfg.ways.ways", g->n_edges + 1, sizeof(Way));
   for (UInt e = 1; e <= g->n_edges; e++) {
      w->ways[e]      = stops[g->edges[e - 1].target];
      w->ways[e].edge = e;
   }
   for (UInt node = 0; node < w->n_nodes; node++)
      for (UInt bit = 0; bit < 2; bit++)
         w->nodes[node].way[bit] = w->ways[w->nodes[node].way[bit].edge];
   for (UInt i = 0; i < table_size; i++)
      w->table[i].way = w->ways[w->table[i].way.edge];
   VG_(free)(stops);
}

static void find_first_edges(Ways* ways)
{
   const Graph* g = ways->p->graph;
   UInt         e = 1;

   ways->first_edge = VG_(malloc)("dcfg.ways.first",
                                  (ways->n_nodes + 1) * sizeof(UInt));
   for (UInt node = 0; node <= ways->n_nodes; node++) {
      while (e <= g->n_edges && g->edges[e - 1].source < node)
         e++;
      ways->first_edge[node] = e;
   }
}

static UInt* sort_numbers(void)
{
   UInt  n = DCFG_(n_target_numbers)();
   UInt* s = VG_(malloc)("dcfg.ways.numbers", (n + 1) * sizeof(UInt));

   for (UInt i = 0; i < n; i++)
      s[i] = i;
   VG_(ssort)(s, n, sizeof(UInt), cmp_addrs);
   return s;
}

Ways* DCFG_(find_ways)(const Gathered* gathered)
{
   Finder f;

   f.w          = VG_(calloc)("dcfg.ways", 1, sizeof(Ways));
   f.w->p       = gathered;
   f.w->n_nodes = NodeFirstBlock + gathered->graph->n_blocks;
   f.w->nodes   = VG_(calloc)("dcfg.ways.nodes", f.w->n_nodes,
                              sizeof(NodeWays));
   f.targets    = DCFG_NEW_ARRAY("dcfg.ways.targets", FoundTarget);
   f.changing   = DCFG_NEW_ARRAY("dcfg.ways.changing", ChangingWay);
   find_first_edges(f.w);
   mark_events(f.w);
   f.number_of_addr = sort_numbers();
   for (UInt id = 1; id <= DCFG_(n_superblocks)(); id++)
      find_superblock_ways(&f, DCFG_(superblock)(id));
   UInt table_size = make_tables(&f);
   keep_changing(&f);
   f.only_edge = DCFG_(only_edges)(gathered->graph);
   set_kinds(&f);
   link_ways(&f, table_size);
   DCFG_FREE_ALL(f.only_edge, f.number_of_addr);
   VG_(deleteXA)(f.targets);
   VG_(deleteXA)(f.changing);
   return f.w;
}

void DCFG_(delete_ways)(Ways* ways)
{
   DCFG_FREE_ALL(ways->nodes, ways->first_edge, ways->ways, ways->table,
                 ways->changing, ways->changing_at, ways);
}

/*--- The walk                                             ---*/

/* Version: the code that a jump to an address runs at this point of the
   walk. */
typedef
   struct _Version {
      struct _Version* hash_next;
      UWord            hash_key;       // the address
      UInt             version[2];     // [1]: past redirections
   }
   Version;

static void fail(Walk* walk, const HChar* why)
{
   if (!walk->failed && !DCFG_(spool_failed)())
      VG_(umsg)("dcfg: internal error: the record of thread %u and the "
                "graph disagree (%s)\n", walk->thread, why);
   walk->failed = True;
}

static void next_event(Walk* walk)
{
   UInt got = DCFG_(read_stream)(walk->rec.events, walk->events_at,
                                 &walk->event, sizeof(RecordEvent));
   walk->events_at += got;
   walk->has_event  = got == sizeof(RecordEvent);
   if (walk->has_event)
      walk->n_places = node_places(walk->w->p, &walk->event.from, walk->places);
}

/*--- Code that changes                                    ---*/

/* Return the versions at ADDR; new ones are 0. */
static Version* versions_at(Walk* walk, Addr addr)
{
   Version* v = VG_(HT_lookup)(walk->versions, addr);

   if (v == NULL) {
      v = VG_(calloc)("dcfg.replay.version", 1, sizeof(Version));
      v->hash_key = addr;
      VG_(HT_add_node)(walk->versions, v);
   }
   return v;
}

static void set_version(Walk* walk, Target t)
{
   versions_at(walk, t.addr)->version[t.unredirected] = t.version;
}

/* Return the edge from the walk's node to the code that T runs, or 0. */
static UInt edge_to(const Walk* walk, Target t)
{
   const Gathered* p  = walk->w->p;
   UInt           to = DCFG_(find_landing)(p, t);

   return to == NONE ? 0 : edge_between(walk->w, walk->node,
                                        p->graph->node_of[to]);
}

/* Return the edge of the changing way C, which begins at the walk's node. */
static UInt changing_edge(Walk* walk, ChangingWay* c)
{
   UInt i = c - walk->w->changing;

   if (walk->version_of == NULL)
      walk->version_of = VG_(calloc)("dcfg.replay.version", walk->w->n_changing,
                                     sizeof(Version*));
   if (walk->version_of[i] == NULL)
      walk->version_of[i] = versions_at(walk, c->addr);
   Target t = { c->addr, walk->version_of[i]->version[c->unredirected],
                c->unredirected };
   if (c->edge == 0 || c->version != t.version) {
      c->version = t.version;
      c->edge    = edge_to(walk, t);
   }
   return c->edge;
}

/*--- Walking                                              ---*/

/* Return whether one of the N PLACES is the walk's: behind the node, whose last
   instruction took its exit if TAKEN; or, if not BEHIND, inside the node. */
static Bool is_place(const Walk* walk, const NodePlace* places, UInt n,
                     Bool behind, Bool taken)
{
   for (UInt i = 0; i < n; i++)
      if (places[i].node == walk->node && places[i].behind == behind
          && (taken || !places[i].if_taken))
         return True;
   return False;
}

static Bool has_come_to_event(const Walk* walk, Bool behind, Bool taken)
{
   return walk->has_event
          && DCFG_(has_read_to)(&walk->reader, &walk->event.place)
          && is_place(walk, walk->places, walk->n_places, behind, taken);
}

/* Return whether FROM is the position just after EXIT was taken. */
static Bool is_behind(const Position* from, const RecordEvent* exit)
{
   return from->n_done == 0 && from->sb == exit->from.sb
          && from->target.addr == exit->to.addr;
}

/* Return whether the thread has ended behind this node.  EXIT is the exit that
   was just taken, or NULL. */
static Bool has_come_to_end(const Walk* walk, Bool taken,
                            const RecordEvent* exit)
{
   return !walk->has_event && DCFG_(has_read_to)(&walk->reader, &walk->rec.end)
          && is_place(walk, walk->last_places, walk->n_last_places, True, taken)
          && (exit == NULL || is_behind(&walk->info.last, exit));
}

/* Walk from the present node past the events there. */
static UInt slow_step(Walk* walk)
{
   const NodeWays* n     = &walk->w->nodes[walk->node];
   UInt            value = 0;
   Bool            exited = False;
   RecordEvent     exit;

   while (has_come_to_event(walk, False, False)) {
      set_version(walk, walk->event.to);
      next_event(walk);
   }
   if (n->record == RecordBit)
      value = DCFG_(read_bit)(&walk->reader);
   else if (n->record == RecordTarget)
      value = DCFG_(read_target)(&walk->reader);
   Bool taken = n->record == RecordBit && value == 1;

   while (has_come_to_event(walk, True, taken || exited)
          && (!exited || walk->event.kind == EventLanding
              || is_behind(&walk->event.from, &exit))) {
      RecordEvent e = walk->event;
      next_event(walk);
      switch (e.kind) {
         case EventLanding:
            set_version(walk, e.to);
            break;
         case EventExit:
            exit   = e;
            exited = True;
            break;
         case EventDivert:
            return edge_to(walk, e.to);
      }
   }
   if (has_come_to_end(walk, taken || exited, exited ? &exit : NULL))
      return edge_between(walk->w, walk->node, NodeEnd);
   if (exited) {
      Target to = { exit.to.addr,
                    versions_at(walk, exit.to.addr)->version[0], False };
      return edge_to(walk, to);
   }
   if (walk->w->n_changing > 0) {
      ChangingWay* c = changing_way(walk->w, walk->node, value);
      UInt         e = c == NULL ? 0 : changing_edge(walk, c);
      /* If no jump has run this version, the thread is within a superblock. */
      if (e != 0 || (c != NULL && n->record == RecordTarget))
         return e;
   }
   return n->record == RecordTarget
          ? DCFG_(target_way)(walk->w, n, value)->edge : n->way[value].edge;
}

/* Return the first edge, ENTRY.  It leads to the thread's first instruction, or
   to where the thread was diverted before that. */
static UInt first_edge(Walk* walk)
{
   Target t = walk->info.entry;

   while (walk->has_event && walk->event.from.sb == 0) {
      if (walk->event.kind == EventDivert)
         t = walk->event.to;
      else
         set_version(walk, walk->event.to);
      next_event(walk);
   }
   walk->node    = NodeStart;
   walk->started = True;
   return edge_to(walk, t);
}

/* Return the way from the present node, which is not the end. */
static const Way* next_way(Walk* walk)
{
   const NodeWays* n = &walk->w->nodes[walk->node];

   switch (n->kind) {
      case WalkBit:
         return &n->way[DCFG_(read_bit)(&walk->reader)];
      case WalkTarget:
         return DCFG_(target_way)(walk->w, n,
                                  DCFG_(read_target)(&walk->reader));
      case WalkSlowly:
         return &walk->w->ways[slow_step(walk)];
      default:
         return &walk->w->ways[0];
   }
}

void DCFG_(take_way)(Walk* walk, const Way* way)
{
   for (;;) {
      if (way->edge == 0 || walk->reader.failed) {
         fail(walk, way->edge == 0 ? "no such way" : "too little recorded");
         return;
      }
      walk->node = way->node;
      DCFG_(skip_bits)(&walk->reader, way->n_bits);
      DCFG_(skip_targets)(&walk->reader, way->n_targets);
      const NodeWays* n = &walk->w->nodes[walk->node];
      if (n->is_decision)
         return;
      if (n->kind == WalkEnd) {
         if (walk->has_event
             || !DCFG_(has_read_to)(&walk->reader, &walk->rec.end))
            fail(walk, "more was recorded than is in the graph");
         return;
      }
      way = next_way(walk);
   }
}

UInt DCFG_(step_walk)(Walk* walk)
{
   const Way* way;

   if (walk->failed || (walk->started && walk->node == NodeEnd))
      return 0;
   way = walk->started ? next_way(walk) : &walk->w->ways[first_edge(walk)];
   DCFG_(take_way)(walk, way);
   return walk->failed ? 0 : way->edge;
}

Bool DCFG_(skip_in_walk)(Walk* walk, UInt i)
{
   const Checkpoint* l    = walk->rec.checkpoints[i];
   Position        from = { l->sb, DCFG_(superblock)(l->sb)->n_instrs,
                            { 0, 0, False } };
   NodePlace       place[DCFG_MAX_PLACES];

   /* The versions of changed code at the checkpoint are not known. */
   if (DCFG_(n_landings)() > 0)
      return False;
   if (node_places(walk->w->p, &from, place) == 0 || !place[0].behind)
      return False;
   const NodeWays* nw  = &walk->w->nodes[place[0].node];
   const Way*      way = &nw->way[l->bit];
   if (way->edge == 0 || nw->kind == WalkSlowly)
      return False;
   DCFG_(read_from)(&walk->reader, &walk->rec, l);
   walk->events_at = l->events_at;
   walk->started   = True;
   walk->failed    = False;
   next_event(walk);
   DCFG_(take_way)(walk, way);
   return !walk->failed;
}

Walk* DCFG_(new_walk)(const Ways* ways, UInt thread)
{
   Walk* k = VG_(calloc)("dcfg.replay", 1, sizeof(Walk));

   k->w      = ways;
   k->thread = thread;
   DCFG_(thread_info)(thread, &k->info);
   DCFG_(recording)(DCFG_(recorder_of_thread)(thread), &k->rec);
   k->n_last_places = node_places(ways->p, &k->info.last,
                                  k->last_places);
   DCFG_(read_from_start)(&k->reader, &k->rec);
   k->versions = VG_(HT_construct)("dcfg.replay.versions");
   for (UInt i = 0; i < k->rec.n_landings; i++)
      set_version(k, DCFG_(changed_landing)(i));
   next_event(k);
   return k;
}

void DCFG_(delete_walk)(Walk* walk)
{
   VG_(HT_destruct)(walk->versions, VG_(free));
   DCFG_FREE_ALL(walk->version_of, walk);
}
