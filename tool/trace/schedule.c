/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Turns: the order in which threads ran. */

/* Owns: the turns of threads.  Handed: the thread that is about to run, by
   tool/run/thread.c.  Taken by: tool/trace/output_trace.c.

   While the program runs, a turn is only noted by the number of instructions
   that its thread had executed at the end of the turn.  The number of edges is
   found at the end of the run, by walking the thread's path once more. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#include "tool/calls/follow.h"
#include "tool/dcfg_output.h"
#include "tool/run/gather.h"
#include "tool/run/thread.h"
#include "tool/trace/replay.h"
#include "tool/trace/schedule.h"

/* Runner: the watcher's state of a thread. */
typedef
   struct {
      UInt index;
      Bool ended;
   }
   Runner;

/* TurnEnd: the end of a turn. */
typedef
   struct {
      UInt  thread;
      ULong instrs;        // executed by the thread so far
      ULong edges;         // likewise; set when turns are written
   }
   TurnEnd;

static Runner* running;    // the thread whose turn it is, or NULL
static XArray* ends;       // TurnEnd, in order; NULL: turns are not noted

/*--- While the program runs                               ---*/

static void note_end(const Runner* r)
{
   TurnEnd e = { r->index, DCFG_(instrs_run)(r->index), 0 };

   if (ends == NULL)
      ends = VG_(newXA)(VG_(malloc), "dcfg.schedule", VG_(free),
                        sizeof(TurnEnd));
   VG_(addToXA)(ends, &e);
}

static void* new_runner(CellArray* cells, UInt index)
{
   Runner* r = VG_(calloc)("dcfg.schedule.runner", 1, sizeof(Runner));

   r->index = index;
   return r;
}

static void free_runner(void* s)
{
   if (running == s)
      running = NULL;
   VG_(free)(s);
}

/* Forget turns: they are not in the next part. */
static void* restart_runner(void* s, CellArray* cells, UInt index,
                            Restart why)
{
   Runner* r = s;

   if (ends != NULL)
      VG_(deleteXA)(ends);
   ends     = NULL;
   r->index = index;
   return r;
}

static void resume(void* s, Addr ip, Addr sp)
{
   if (running == s)
      return;
   if (running != NULL && !running->ended)
      note_end(running);
   running = s;
}

static void end_runner(void* s)
{
   Runner* r = s;

   /* A thread that another one ended had its last turn before.  If it had ended
      before this part of the run, it has none. */
   if (running == r && !r->ended)
      note_end(r);
   r->ended = True;
}

static const Watcher watcher = {
   .thread_new  = new_runner,
   .thread_free = free_runner,
   .restart     = restart_runner,
   .resume      = resume,
   .thread_end  = end_runner
};

void DCFG_(note_turns)(void)
{
   /* Register before the watcher that counts instructions, which forgets a
      thread at its end. */
   DCFG_(watch)(&watcher);
   DCFG_(count_instrs)();
}

/*--- Edges                                                ---*/

/* Return the turns to be written: those that have ended, and the present
   one. */
static XArray* turns_so_far(void)
{
   XArray* turns = ends == NULL
                   ? VG_(newXA)(VG_(malloc), "dcfg.schedule.turns",
                                VG_(free), sizeof(TurnEnd))
                   : VG_(cloneXA)("dcfg.schedule.turns", ends);

   if (running != NULL && !running->ended) {
      TurnEnd e = { running->index, DCFG_(instrs_run)(running->index), 0 };
      VG_(addToXA)(turns, &e);
   }
   return turns;
}

static TurnEnd* turn(XArray* turns, Word i)
{
   return VG_(indexXA)(turns, i);
}

/* Return, for each node, its one counted edge to a node; 0 if it has
   several. */
static UInt* only_ways(const Graph* g)
{
   UInt  n    = g->n_blocks + NodeFirstBlock;
   UInt* only = VG_(calloc)("dcfg.schedule.only", n, sizeof(UInt));
   Bool* met  = VG_(calloc)("dcfg.schedule.met", n, sizeof(Bool));

   for (UInt i = 0; i < g->n_edges; i++) {
      const Edge* e = &g->edges[i];
      if (e->n_counts == 0)
         continue;
      only[e->source] = met[e->source] ? 0 : i + 1;
      met[e->source]  = True;
   }
   VG_(free)(met);
   return only;
}

/* EdgeWalk: one thread's edges, one after the other. */
typedef
   struct {
      const Graph* g;
      const UInt*  only;
      Walk*        walk;
      UInt         edge;       // the last edge, or 0
   }
   EdgeWalk;

/* Return the next edge, or 0.  The walk stops only at decisions; the edges
   between follow from the graph. */
static UInt next_edge(EdgeWalk* w)
{
   UInt node = w->edge == 0 ? NodeStart : w->g->edges[w->edge - 1].target;

   if (node == NodeEnd)
      w->edge = 0;
   else if (w->edge != 0 && w->only[node] != 0)
      w->edge = w->only[node];
   else
      w->edge = DCFG_(step_walk)(w->walk);
   return w->edge;
}

static UInt instrs_of(const Graph* g, UInt node)
{
   return node < NodeFirstBlock ? 0 : g->blocks[node - NodeFirstBlock].n_instrs;
}

static Word next_turn(XArray* turns, UInt thread, Word i)
{
   while (i < VG_(sizeXA)(turns) && turn(turns, i)->thread != thread)
      i++;
   return i;
}

/* Set .edges of THREAD's turns.  Return False if the path and the turns have
   different numbers of instructions. */
static Bool count_edges(const Ways* w, const UInt* only, XArray* turns,
                        UInt thread)
{
   EdgeWalk way    = { w->p->graph, only, DCFG_(new_walk)(w, thread), 0 };
   Word     n      = VG_(sizeXA)(turns);
   Word     i      = next_turn(turns, thread, 0);
   Word     last   = i;
   ULong    instrs = 0, edges = 0;
   UInt     e;

   while ((e = next_edge(&way)) != 0) {
      instrs += instrs_of(way.g, way.g->edges[e - 1].source);
      while (i < n && turn(turns, i)->instrs < instrs) {
         turn(turns, i)->edges = edges;
         last = i;
         i    = next_turn(turns, thread, i + 1);
      }
      edges++;
   }
   for (; i < n; last = i, i = next_turn(turns, thread, i + 1))
      turn(turns, i)->edges = edges;

   Bool good = !way.walk->failed && last < n
               && turn(turns, last)->edges == edges
               && turn(turns, last)->instrs == instrs;
   DCFG_(delete_walk)(way.walk);
   return good;
}

static Bool count_all_edges(const Ways* w, XArray* turns)
{
   UInt* only = only_ways(w->p->graph);
   Bool  good = True;

   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      DCFG_(thread_info)(t, &info);
      if (info.ran && !count_edges(w, only, turns, t)) {
         VG_(umsg)("dcfg: internal error: the turns of thread %u and the "
                   "graph disagree\n", t);
         good = False;
      }
   }
   VG_(free)(only);
   return good;
}

/*--- The file                                             ---*/

typedef
   struct {
      Put*    out;
      ULong   n;               // turns written
      Bool    waits;
      TurnEnd turn;            // the waiting turn's own counts
   }
   ScheduleRows;

static void put_waiting(ScheduleRows* r)
{
   if (!r->waits)
      return;
   DCFG_(put_text)(r->out, r->n == 0 ? "[[" : ",\n[");
   DCFG_(put_number)(r->out, r->turn.thread);
   DCFG_(put_char)(r->out, ',');
   DCFG_(put_number)(r->out, r->turn.instrs);
   DCFG_(put_char)(r->out, ',');
   DCFG_(put_number)(r->out, r->turn.edges);
   DCFG_(put_char)(r->out, ']');
   r->n++;
   r->waits = False;
}

/* Put a turn, unless nothing was collected in it. */
static void put_turn(ScheduleRows* r, UInt thread, ULong instrs, ULong edges)
{
   if (instrs == 0 && edges == 0)
      return;
   if (r->waits && r->turn.thread == thread) {
      r->turn.instrs += instrs;
      r->turn.edges  += edges;
      return;
   }
   put_waiting(r);
   r->turn  = (TurnEnd){ thread, instrs, edges };
   r->waits = True;
}

Bool DCFG_(write_turns)(Put* out, const Ways* w, ULong* n)
{
   XArray*  turns  = turns_so_far();
   Bool     good   = count_all_edges(w, turns);
   ScheduleRows     rows   = { out, 0, False, { 0, 0, 0 } };
   TurnEnd* before = VG_(calloc)("dcfg.schedule.before",
                                 DCFG_(n_threads)() + 1, sizeof(TurnEnd));

   for (Word i = 0; i < VG_(sizeXA)(turns); i++) {
      const TurnEnd* e = turn(turns, i);
      TurnEnd*       b = &before[e->thread];
      put_turn(&rows, e->thread, e->instrs - b->instrs, e->edges - b->edges);
      *b = *e;
   }
   put_waiting(&rows);
   DCFG_(put_text)(out, rows.n == 0 ? "[]\n" : "]\n");
   VG_(free)(before);
   VG_(deleteXA)(turns);
   *n = rows.n;
   return good;
}
