/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The output of the DCFG-trace. */

/* Owns: the options of a trace, and the steps from the threads' records to a
   DCFG-trace in a file.  Handed: the final graph by tool/run/gather.c.  Taken by:
   dcfg_main.c. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

#include "tool/files/file.h"
#include "tool/files/spool_file.h"
#include "tool/files/stream.h"
#include "tool/output_dcfg.h"
#include "tool/dcfg_output.h"
#include "dcfg_trace_enc.h"
#include "tool/run/gather.h"
#include "tool/run/thread.h"
#include "tool/trace/record.h"
#include "tool/trace/parse.h"
#include "tool/trace/replay.h"
#include "tool/trace/schedule.h"

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
   if (!VG_STREQ(opts.threads, "all")) {
      VG_(fmsg)("--trace-turns=yes needs the traces of all threads: "
                "--trace-threads=all\n");
      VG_(exit)(1);
   }
   opts.turns = DCFG_(has_side_file)("--trace-out-file", opts.out_file,
                                     "the turns of threads");
   if (!opts.turns)
      return;
   DCFG_(claim_out_file)("--trace-turns", turns_name());
   DCFG_(note_turns)();
}

static Bool start(void)
{
   if (!opts.on) {
      if (opts.turns) {
         VG_(fmsg)("--trace-turns=yes needs --trace=yes\n");
         VG_(exit)(1);
      }
      return False;
   }
   if (!DCFG_(turn_on_records)(opts.threads,
                               DCFG_(watch)(&DCFG_(recording_watcher)))) {
      VG_(fmsg)("--trace-threads=%s: give \"all\" or thread numbers, such as "
                "0,2\n", opts.threads);
      VG_(exit)(1);
   }
   if (!DCFG_(writes_edges)()) {
      VG_(fmsg)("--trace=yes cannot be used with --cfg=no: a trace names the "
                "edges of the DCFG\n");
      VG_(exit)(1);
   }
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
   t->walk   = DCFG_(new_walk)(t->common->ways, t->thread);
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
   UInt    n = 0;

   while (n < room && (ids[n] = DCFG_(step_walk)(t->walk)) != 0)
      n++;
   return n;
}

static UInt parse_thread(void* arg, Phrases* ps, UInt* phrase, UInt* phrases,
                         UInt room, ULong limit)
{
   RecordedThread* t = arg;
   Common* c = t->common;

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
      r->n_places    = rec.n_landmarks;
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
static ULong edges_of(const Graph* g, const TraceThread* threads, UInt n)
{
   Bool* is_traced = VG_(calloc)("dcfg.trace.threads", g->n_threads + 1,
                                 sizeof(Bool));
   ULong sum       = 0;

   for (UInt i = 0; i < n; i++)
      is_traced[threads[i].thread] = True;
   for (UInt e = 0; e < g->n_edges; e++)
      for (UInt c = 0; c < g->edges[e].n_counts; c++) {
         const EdgeCount* ec = &g->counts[g->edges[e].first_count + c];
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
                                        "--dcfg-out-file");
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
                                        "--trace-out-file");
   ULong    n;
   Bool     good = DCFG_(write_turns)(DCFG_(text_of_file)(file),
                                      common->ways, &n);

   if (good && !DCFG_(spool_failed)())
      DCFG_(close_out_file)(file, "%'llu turn%s of threads", n,
                            n == 1 ? "" : "s");
   else
      DCFG_(abandon_out_file)(file);
   VG_(free)(name);
}

/* Write the trace, unless its graph is missing: it cannot be read without. */
static void write(const Gathered* p, const HChar* reason)
{
   if (DCFG_(out_file_failed)("--dcfg-out-file")) {
      VG_(umsg)("dcfg: the trace is not written, because its graph was not\n");
      return;
   }

   UInt         n       = DCFG_(n_threads)() + 1;
   RecordedThread*      threads = VG_(calloc)("dcfg.trace.threads", n,
                                      sizeof(RecordedThread));
   TraceThread* readers = VG_(calloc)("dcfg.trace.threads", n,
                                      sizeof(TraceThread));
   Common       common  = { DCFG_(find_ways)(p), NULL, False };
   Store        store;
   TraceJob     job;

   VG_(memset)(&store, 0, sizeof(store));
   for (UInt s = 0; s < N_TRACE_STREAMS; s++)
      store.streams[s] = DCFG_(new_stream)();
   job.pid          = VG_(getpid)();
   job.graph        = p->graph;
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
   VG_(free)(threads);
   VG_(free)(readers);
}

static void tell_unused(void)
{
   UInt n = DCFG_(n_threads)();

   if (DCFG_(chooses_from)(n))
      VG_(umsg)("dcfg: warning: --trace-threads=%s names threads that never "
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
