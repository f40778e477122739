/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The output of the DCFG-trace, and of the turns of its threads. */

/* Owns: the options of a trace, and the steps from the threads' records to a
   DCFG-trace in a file; the turns.  Handed: the final graph by
   tool/run/gather.c, records by tool/trace/record.c, the thread that is about
   to run by tool/run/thread.c.

   Edges come from tool/trace/replay.c, phrases from tool/trace/parse.c;
   dcfg_trace_enc.c writes them, and sees threads and store only as functions.
   A trace whose edges are not as many as the graph's is not written.

   A turn is the time from when a thread runs until another one does.  While
   the program runs, a turn is only noted by the number of instructions that
   its thread had executed at the end of the turn.  The number of edges is
   found at the end of the run, by walking the thread's path once more. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"
#include "dcfg_trace_enc.h"
#include "format/put.h"
#include "tool/base/core.h"
#include "tool/calls/follow.h"
#include "tool/calls/stack.h"
#include "tool/dcfg_output.h"
#include "tool/files/file.h"
#include "tool/files/stream.h"
#include "tool/output_dcfg.h"
#include "tool/run/gather.h"
#include "tool/run/this_run.h"
#include "tool/run/thread.h"
#include "tool/trace/record.h"
#include "tool/trace/replay.h"

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

/*--- Turns, while the program runs                        ---*/

static void note_end(const Runner* r)
{
   TurnEnd e = { r->index, DCFG_(instrs_run)(r->index), 0 };

   if (ends == NULL)
      ends = DCFG_NEW_ARRAY("dcfg.schedule", TurnEnd);
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

/* Note turns from now on.  Called before the program runs. */
static void note_turns(void)
{
   /* Register before the watcher that counts instructions, which forgets a
      thread at its end. */
   DCFG_(watch)(&watcher);
   DCFG_(count_instrs)();
}

/*--- The edges of a turn                                  ---*/

/* Return the turns to be written: those that have ended, and the present
   one. */
static XArray* turns_so_far(void)
{
   XArray* turns = ends == NULL
                   ? DCFG_NEW_ARRAY("dcfg.schedule.turns", TurnEnd)
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

static UInt instrs_of(const Graph* graph, UInt node)
{
   return node < NodeFirstBlock
          ? 0 : graph->blocks[node - NodeFirstBlock].n_instrs;
}

static Word next_turn(XArray* turns, UInt thread, Word i)
{
   while (i < VG_(sizeXA)(turns) && turn(turns, i)->thread != thread)
      i++;
   return i;
}

/* Set .edges of THREAD's turns.  Return False if the path and the turns have
   different numbers of instructions. */
static Bool count_edges(const Ways* ways, const UInt* only, XArray* turns,
                        UInt thread)
{
   EdgeWalk way    = { ways->p->graph, only, DCFG_(new_walk)(ways, thread), 0 };
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

static Bool count_all_edges(const Ways* ways, XArray* turns)
{
   UInt* only = DCFG_(only_edges)(ways->p->graph);
   Bool  good = True;

   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      DCFG_(thread_info)(t, &info);
      if (info.ran && !count_edges(ways, only, turns, t)) {
         VG_(umsg)("dcfg: internal error: the turns of thread %u and the "
                   "graph disagree\n", t);
         good = False;
      }
   }
   VG_(free)(only);
   return good;
}

/*--- The file of turns                                    ---*/

typedef
   struct {
      Put*    out;
      ULong   n;               // turns written
      Bool    waits;
      TurnEnd turn;            // the waiting turn's own counts
   }
   TurnRows;

static void put_waiting(TurnRows* r)
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
static void put_turn(TurnRows* r, UInt thread, ULong instrs, ULong edges)
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

/* Write the turns to OUT as JSON: an array of [thread, instructions, edges].
   An edge belongs to the turn in which its source's last instruction ran.
   All threads must have been traced.  *N is the number of turns in which
   something was collected.  Return False if turns and graph disagree, which
   is reported. */
static Bool write_turns(Put* out, const Ways* ways, ULong* n)
{
   XArray*  turns  = turns_so_far();
   Bool     good   = count_all_edges(ways, turns);
   TurnRows rows   = { out, 0, False, { 0, 0, 0 } };
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

/*--- Options                                              ---*/

#define OUT_FILE "dcfg-trace.out.%p.json"

static struct {
   Bool         on;
   const HChar* out_file;
   const HChar* threads;     // "all", or a list of numbers with commas
   Int          chunk;       // edges in a chunk
   Bool         turns;
} opts = {
   .on       = False,
   .out_file = OUT_FILE,
   .threads  = "all",
   .chunk    = 1000000,
   .turns    = False
};

static const Option options[] = {
   OPTION_BOOL("--trace", opts.on,
               "also write a trace: the order of all edges"),
   OPTION_TEXT("--trace-out-file", opts.out_file, "<file>",
               "write the trace to <file>"),
   OPTION_TEXT("--trace-threads", opts.threads, "<list>|all",
               "trace only these threads, such as 0,2"),
   OPTION_INT("--trace-chunk", opts.chunk, 1, 1000000000, "<edges>",
              "edges in a chunk of the trace"),
   OPTION_BOOL("--trace-turns", opts.turns,
               "also write in which order threads ran, to the file of the "
               "trace with .turns behind its name")
};

/* Return the name of the turns' file.  The caller frees it. */
static HChar* turns_name(void)
{
   return DCFG_(name_of_part)("--trace-out-file", opts.out_file, ".turns");
}

/* Called after the trace's own file has been claimed. */
static void start_turns(void)
{
   if (!VG_STREQ(opts.threads, "all"))
      DCFG_FAIL("--trace-turns=yes needs the traces of all threads: "
                "--trace-threads=all\n");
   opts.turns = DCFG_(has_side_file)("--trace-out-file", opts.out_file,
                                     "the turns of threads");
   if (!opts.turns)
      return;
   DCFG_(claim_out_file)("--trace-turns", turns_name());
   note_turns();
}

static Bool start(void)
{
   if (!opts.on) {
      if (opts.turns)
         DCFG_FAIL("--trace-turns=yes needs --trace=yes\n");
      return False;
   }
   if (!DCFG_(turn_on_records)(opts.threads,
                               DCFG_(watch)(&DCFG_(recording_watcher))))
      DCFG_FAIL("--trace-threads=%s: give \"all\" or thread numbers, such as "
                "0,2\n", opts.threads);
   if (!DCFG_(writes_edges)())
      DCFG_FAIL("--trace=yes cannot be used with --cfg=no: a trace names the "
                "edges of the DCFG\n");
   DCFG_(claim_out_file)("--trace-out-file", opts.out_file);
   DCFG_(set_spool_place)("--trace-out-file", opts.out_file, 64 << 20);
   if (opts.turns)
      start_turns();
   return True;
}

/* --- Temporary storage of the encoder                     --- */

typedef
   struct {
      Stream* streams[N_TRACE_STREAMS];
      ULong   read[N_TRACE_STREAMS];
   }
   Store;

static void append_to_store(void* arg, UInt stream, const void* bytes,
                            UInt n)
{
   Store* s = arg;
   DCFG_(append_to_stream)(s->streams[stream], bytes, n);
}

static UInt read_store(void* arg, UInt stream, void* bytes, UInt room)
{
   Store* s   = arg;
   UInt   got = DCFG_(read_stream)(s->streams[stream], s->read[stream],
                                   bytes, room);
   s->read[stream] += got;
   return got;
}

/*--- Threads, as the encoder reads them                   ---*/

/* Common: data of all threads. */
typedef
   struct {
      Ways*   ways;
      Parser* parser;        // made at the first use
      Bool    failed;        // has a walk failed?
   }
   Common;

typedef
   struct {
      Common* common;
      UInt    thread;
      Bool    is_last;       // is it the last one that is traced?
      Walk*   walk;          // NULL if it is not being read
   }
   RecordedThread;

static void forget_parser(Common* c)
{
   if (c->parser != NULL)
      DCFG_(delete_parser)(c->parser);
   c->parser = NULL;
}

static void start_thread(void* arg)
{
   RecordedThread* t = arg;

   t->walk = DCFG_(new_walk)(t->common->ways, t->thread);
}

static void stop_thread(void* arg)
{
   RecordedThread* t = arg;

   if (t->walk->failed)
      t->common->failed = True;
   DCFG_(delete_walk)(t->walk);
   t->walk = NULL;
   /* Threads are parsed in their order, each once.  What comes then needs
      memory, too. */
   if (t->is_last)
      forget_parser(t->common);
}

static Bool skip_in_thread(void* arg, UInt i)
{
   return DCFG_(skip_in_walk)(((RecordedThread*)arg)->walk, i);
}

static UInt read_thread(void* arg, UInt* ids, UInt room)
{
   RecordedThread* t = arg;
   UInt            n = 0;

   while (n < room && (ids[n] = DCFG_(step_walk)(t->walk)) != 0)
      n++;
   return n;
}

static UInt parse_thread(void* arg, Phrases* ps, UInt* phrase, UInt* phrases,
                         UInt room, ULong limit)
{
   RecordedThread* t = arg;
   Common*         c = t->common;

   if (c->parser == NULL)
      c->parser = DCFG_(new_parser)(c->ways, ps);
   return DCFG_(parse)(c->parser, t->walk, phrase, phrases, room, limit);
}

/* Fill READERS and THREADS with the threads to be traced.  Return their
   number. */
static UInt find_threads(Common* common, RecordedThread* threads,
                         TraceThread* readers)
{
   UInt n = 0;

   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      Recording  rec;
      DCFG_(thread_info)(t, &info);
      if (!info.ran || !DCFG_(is_traced)(t))
         continue;
      DCFG_(recording)(DCFG_(recorder_of_thread)(t), &rec);
      threads[n].common = common;
      threads[n].thread = t;
      threads[n].walk   = NULL;
      TraceThread* r = &readers[n];
      r->thread      = t;
      r->n_decisions = rec.end.bits + rec.end.targets + 1;
      r->n_places    = rec.n_checkpoints;
      r->arg         = &threads[n];
      r->start       = start_thread;
      r->stop        = stop_thread;
      r->skip        = skip_in_thread;
      r->read        = read_thread;
      r->parse       = parse_thread;
      n++;
   }
   if (n > 0)
      threads[n - 1].is_last = True;
   return n;
}

/*--- The trace                                            ---*/

/* Return the sum of the graph's counts for the N THREADS. */
static ULong edges_of(const Graph* graph, const TraceThread* threads, UInt n)
{
   Bool* is_traced = VG_(calloc)("dcfg.trace.threads", graph->n_threads + 1,
                                 sizeof(Bool));
   ULong sum       = 0;

   for (UInt i = 0; i < n; i++)
      is_traced[threads[i].thread] = True;
   for (UInt e = 0; e < graph->n_edges; e++)
      for (UInt c = 0; c < graph->edges[e].n_counts; c++) {
         const EdgeCount* ec = &graph->counts[graph->edges[e].first_count + c];
         if (is_traced[ec->thread])
            sum += ec->count;
      }
   VG_(free)(is_traced);
   return sum;
}

/* Return whether N is the number of edges in the graph; if not, say so. */
static Bool is_complete(const Common* c, const TraceJob* job, ULong n)
{
   ULong all = edges_of(job->graph, job->threads, job->n_threads);

   if (c->failed || DCFG_(spool_failed)())
      return False;
   if (n != all)
      VG_(umsg)("dcfg: internal error: the trace has %llu edges, the graph "
                "%llu\n", n, all);
   return n == all;
}

static void write_file(const TraceJob* job, const Common* common)
{
   HChar*   name = DCFG_(name_of_part)("--trace-out-file", opts.out_file,
                                       "");
   OutFile* file = DCFG_(open_out_file)("--trace-out-file", name,
                                        "--dcfg-out-file", False);
   Put*     out  = DCFG_(text_of_file)(file);
   ULong    n    = DCFG_(write_trace)(out, job);
   /* In hundredths of a bit. */
   ULong    bits = n == 0 ? 0 : out->n_bytes * 800 / n;

   DCFG_(set_reader)(file, "dcfg report --inclusive", OUT_FILE);
   if (is_complete(common, job, n))
      DCFG_(close_out_file)(file, "%'llu edges of %u thread%s, "
                            "%llu.%02llu bits an edge",
                            n, job->n_threads,
                            job->n_threads == 1 ? "" : "s", bits / 100,
                            bits % 100);
   else
      DCFG_(abandon_out_file)(file);
   VG_(free)(name);
}

static void write_turns_file(const Common* common)
{
   HChar*   name = turns_name();
   OutFile* file = DCFG_(open_out_file)("--trace-turns", name,
                                        "--trace-out-file", False);
   ULong    n;
   Bool     good = write_turns(DCFG_(text_of_file)(file),
                               common->ways, &n);

   if (good && !DCFG_(spool_failed)())
      DCFG_(close_out_file)(file, "%'llu turn%s of threads", n,
                            n == 1 ? "" : "s");
   else
      DCFG_(abandon_out_file)(file);
   VG_(free)(name);
}

/* Write the trace, unless its graph is missing: it cannot be read without. */
static void write(const Gathered* gathered, const HChar* reason)
{
   if (DCFG_(out_file_failed)("--dcfg-out-file")) {
      VG_(umsg)("dcfg: the trace is not written, because its graph was not\n");
      return;
   }

   UInt            n       = DCFG_(n_threads)() + 1;
   RecordedThread* threads = VG_(calloc)("dcfg.trace.threads", n,
                                         sizeof(RecordedThread));
   TraceThread*    readers = VG_(calloc)("dcfg.trace.threads", n,
                                         sizeof(TraceThread));
   Common          common  = { DCFG_(find_ways)(gathered), NULL, False };
   Store           store;
   TraceJob        job;

   VG_(memset)(&store, 0, sizeof(store));
   for (UInt s = 0; s < N_TRACE_STREAMS; s++)
      store.streams[s] = DCFG_(new_stream)();
   job.pid          = DCFG_(this_pid)();
   job.graph        = gathered->graph;
   job.threads      = readers;
   job.n_threads    = find_threads(&common, threads, readers);
   job.chunk        = opts.chunk;
   job.store.append = append_to_store;
   job.store.read   = read_store;
   job.store.arg    = &store;
   job.effort       = &DCFG_(trace_effort);
   write_file(&job, &common);
   if (opts.turns)
      write_turns_file(&common);

   for (UInt s = 0; s < N_TRACE_STREAMS; s++)
      DCFG_(delete_stream)(store.streams[s]);
   DCFG_(delete_ways)(common.ways);
   DCFG_FREE_ALL(threads, readers);
}

static void tell_unused(void)
{
   UInt n = DCFG_(n_threads)();

   if (DCFG_(chooses_from)(n))
      DCFG_(remark)("dcfg: warning: --trace-threads=%s names threads that never "
                    "ran: the program had %u thread%s, numbered from 0\n",
                    opts.threads, n, n == 1 ? "" : "s");
}

const Output DCFG_(trace_output) = {
   .name        = "DCFG-trace",
   .options     = OPTIONS(options),
   .start       = start,
   .write       = write,
   .tell_unused = tell_unused
};
