/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Replaying a record: the edges in their order. */

/* Owns: the walk along a record.  Handed: tool/trace/record.c's streams and
   tool/trace/ways.c's tables.  Taken by: tool/trace/parse.c, and tool/trace/output_trace.c;
   dcfg_trace_enc.c reads through that.

   A walk starts at the thread's first instruction.  At each node, it reads
   from the record what the node's last instruction recorded.  An event has
   come when the walk is at the node of the event and has read as many bits
   and targets as were recorded before it.  tool/trace/record.c explains why this
   moment is unique. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"

#include "tool/trace/recorded.h"
#include "tool/files/spool_file.h"
#include "tool/trace/replay.h"

#define NONE DCFG_NO_INSTR

/* Version: the code that a jump to an address runs at this point of the
   walk. */
typedef
   struct _Version {
      struct _Version* hash_next;
      UWord            hash_key;       // the address
      UInt             version[2];     // [1]: past redirections
   }
   Version;

static void fail(Walk* k, const HChar* why)
{
   if (!k->failed && !DCFG_(spool_failed)())
      VG_(umsg)("dcfg: internal error: the record of thread %u and the "
                "graph disagree (%s)\n", k->thread, why);
   k->failed = True;
}

static void next_event(Walk* k)
{
   UInt got = DCFG_(read_stream)(k->rec.events, k->events_at, &k->event,
                                 sizeof(RecordEvent));
   k->events_at += got;
   k->has_event  = got == sizeof(RecordEvent);
   if (k->has_event)
      k->n_places = DCFG_(node_places)(k->w->p, &k->event.from, k->places);
}

/*--- Code that changes                                    ---*/

/* Return the versions at ADDR; new ones are 0. */
static Version* versions_at(Walk* k, Addr addr)
{
   Version* v = VG_(HT_lookup)(k->versions, addr);

   if (v == NULL) {
      v = VG_(calloc)("dcfg.replay.version", 1, sizeof(Version));
      v->hash_key = addr;
      VG_(HT_add_node)(k->versions, v);
   }
   return v;
}

static void set_version(Walk* k, Target t)
{
   versions_at(k, t.addr)->version[t.unredirected] = t.version;
}

/* Return the edge from the walk's node to the code that T runs, or 0. */
static UInt edge_to(const Walk* k, Target t)
{
   const Gathered* p  = k->w->p;
   UInt           to = DCFG_(find_landing)(p, t);

   return to == NONE ? 0 : DCFG_(edge_between)(k->w, k->node,
                                               p->graph->node_of[to]);
}

/* Return the edge of the changing way C, which begins at the walk's node. */
static UInt changing_edge(Walk* k, ChangingWay* c)
{
   UInt i = c - k->w->changing;

   if (k->version_of == NULL)
      k->version_of = VG_(calloc)("dcfg.replay.version", k->w->n_changing,
                                  sizeof(Version*));
   if (k->version_of[i] == NULL)
      k->version_of[i] = versions_at(k, c->addr);
   Target t = { c->addr, k->version_of[i]->version[c->unredirected],
                c->unredirected };
   if (c->edge == 0 || c->version != t.version) {
      c->version = t.version;
      c->edge    = edge_to(k, t);
   }
   return c->edge;
}

/*--- Walking                                              ---*/

/* Return whether one of the N PLACES is the walk's: behind the node, whose last
   instruction took its exit if TAKEN; or, if not BEHIND, inside the node. */
static Bool is_place(const Walk* k, const NodePlace* places, UInt n,
                     Bool behind, Bool taken)
{
   for (UInt i = 0; i < n; i++)
      if (places[i].node == k->node && places[i].behind == behind
          && (taken || !places[i].if_taken))
         return True;
   return False;
}

static Bool has_come_to_event(const Walk* k, Bool behind, Bool taken)
{
   return k->has_event && DCFG_(has_read_to)(&k->reader, &k->event.place)
          && is_place(k, k->places, k->n_places, behind, taken);
}

/* Return whether FROM is the position just after EXIT was taken. */
static Bool is_behind(const Position* from, const RecordEvent* exit)
{
   return from->n_done == 0 && from->sb == exit->from.sb
          && from->target.addr == exit->to.addr;
}

/* Return whether the thread has ended behind this node.  EXIT is the exit that
   was just taken, or NULL. */
static Bool has_come_to_end(const Walk* k, Bool taken, const RecordEvent* exit)
{
   return !k->has_event && DCFG_(has_read_to)(&k->reader, &k->rec.end)
          && is_place(k, k->last_places, k->n_last_places, True, taken)
          && (exit == NULL || is_behind(&k->info.last, exit));
}

/* Walk from the present node past the events there. */
static UInt slow_step(Walk* k)
{
   const NodeWays* n     = &k->w->nodes[k->node];
   UInt            value = 0;
   Bool            exited = False;
   RecordEvent     exit;

   while (has_come_to_event(k, False, False)) {
      set_version(k, k->event.to);
      next_event(k);
   }
   if (n->record == RecordBit)
      value = DCFG_(read_bit)(&k->reader);
   else if (n->record == RecordTarget)
      value = DCFG_(read_target)(&k->reader);
   Bool taken = n->record == RecordBit && value == 1;

   while (has_come_to_event(k, True, taken || exited)
          && (!exited || k->event.kind == EventLanding
              || is_behind(&k->event.from, &exit))) {
      RecordEvent e = k->event;
      next_event(k);
      switch (e.kind) {
         case EventLanding:
            set_version(k, e.to);
            break;
         case EventExit:
            exit   = e;
            exited = True;
            break;
         case EventDivert:
            return edge_to(k, e.to);
      }
   }
   if (has_come_to_end(k, taken || exited, exited ? &exit : NULL))
      return DCFG_(edge_between)(k->w, k->node, NodeEnd);
   if (exited) {
      Target to = { exit.to.addr,
                    versions_at(k, exit.to.addr)->version[0], False };
      return edge_to(k, to);
   }
   if (k->w->n_changing > 0) {
      ChangingWay* c = DCFG_(changing_way)(k->w, k->node, value);
      UInt         e = c == NULL ? 0 : changing_edge(k, c);
      /* If no jump has run this version, the thread is within a superblock. */
      if (e != 0 || (c != NULL && n->record == RecordTarget))
         return e;
   }
   return n->record == RecordTarget
          ? DCFG_(target_way)(k->w, n, value)->edge : n->way[value].edge;
}

/* Return the first edge, ENTRY.  It leads to the thread's first instruction, or
   to where the thread was diverted before that. */
static UInt first_edge(Walk* k)
{
   Target t = k->info.entry;

   while (k->has_event && k->event.from.sb == 0) {
      if (k->event.kind == EventDivert)
         t = k->event.to;
      else
         set_version(k, k->event.to);
      next_event(k);
   }
   k->node    = NodeStart;
   k->started = True;
   return edge_to(k, t);
}

/* Return the way from the present node, which is not the end. */
static const Way* next_way(Walk* k)
{
   const NodeWays* n = &k->w->nodes[k->node];

   switch (n->kind) {
      case WalkBit:
         return &n->way[DCFG_(read_bit)(&k->reader)];
      case WalkTarget:
         return DCFG_(target_way)(k->w, n, DCFG_(read_target)(&k->reader));
      case WalkSlowly:
         return &k->w->ways[slow_step(k)];
      default:
         return &k->w->ways[0];
   }
}

void DCFG_(take_way)(Walk* k, const Way* way)
{
   for (;;) {
      if (way->edge == 0 || k->reader.failed) {
         fail(k, way->edge == 0 ? "no such way" : "too little recorded");
         return;
      }
      k->node = way->node;
      DCFG_(skip_bits)(&k->reader, way->n_bits);
      DCFG_(skip_targets)(&k->reader, way->n_targets);
      const NodeWays* n = &k->w->nodes[k->node];
      if (n->is_decision)
         return;
      if (n->kind == WalkEnd) {
         if (k->has_event || !DCFG_(has_read_to)(&k->reader, &k->rec.end))
            fail(k, "more was recorded than is in the graph");
         return;
      }
      way = next_way(k);
   }
}

UInt DCFG_(step_walk)(Walk* k)
{
   const Way* way;

   if (k->failed || (k->started && k->node == NodeEnd))
      return 0;
   way = k->started ? next_way(k) : &k->w->ways[first_edge(k)];
   DCFG_(take_way)(k, way);
   return k->failed ? 0 : way->edge;
}

Bool DCFG_(skip_in_walk)(Walk* k, UInt i)
{
   const Landmark* l    = k->rec.landmarks[i];
   Position        from = { l->sb, DCFG_(superblock)(l->sb)->n_instrs,
                            { 0, 0, False } };
   NodePlace       place[DCFG_MAX_PLACES];

   /* The versions of changed code at the landmark are not known. */
   if (DCFG_(n_landings)() > 0)
      return False;
   if (DCFG_(node_places)(k->w->p, &from, place) == 0 || !place[0].behind)
      return False;
   const NodeWays* nw  = &k->w->nodes[place[0].node];
   const Way*      way = &nw->way[l->bit];
   if (way->edge == 0 || nw->kind == WalkSlowly)
      return False;
   DCFG_(read_from)(&k->reader, &k->rec, l);
   k->events_at = l->events_at;
   k->started   = True;
   k->failed    = False;
   next_event(k);
   DCFG_(take_way)(k, way);
   return !k->failed;
}

Walk* DCFG_(new_walk)(const Ways* w, UInt thread)
{
   Walk* k = VG_(calloc)("dcfg.replay", 1, sizeof(Walk));

   k->w      = w;
   k->thread = thread;
   DCFG_(thread_info)(thread, &k->info);
   DCFG_(recording)(DCFG_(recorder_of_thread)(thread), &k->rec);
   k->n_last_places = DCFG_(node_places)(w->p, &k->info.last,
                                         k->last_places);
   DCFG_(read_from_start)(&k->reader, &k->rec);
   k->versions = VG_(HT_construct)("dcfg.replay.versions");
   for (UInt i = 0; i < k->rec.n_landings; i++)
      set_version(k, DCFG_(changed_landing)(i));
   next_event(k);
   return k;
}

void DCFG_(delete_walk)(Walk* k)
{
   VG_(HT_destruct)(k->versions, VG_(free));
   VG_(free)(k->version_of);
   VG_(free)(k);
}
