/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg bbv. */

/* Owns: the subcommand bbv: the choice of threads, their order, and files.
   Handed: a command line.  Taken by: commands.c. */

#include "cmd/commands.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/base/select.h"
#include "cmd/simpoint/beginning.h"
#include "cmd/simpoint/slices.h"
#include "cmd/simpoint/turns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define N_EDGES 4096

/* The most open traces: each one needs little memory, but a descriptor. */
#define MAX_OPEN 256

typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      const char*        graph;
      const char*        trace;
      const char*        prefix;
      uint64_t           size;
      bool*              heads;         // for each node: is it a loop's head?
                                        // NULL: slices begin at any block
      bool               from_begin;    // see counts_from_begin()
      char**             written;       // messages about files
      uint32_t           n_written, room;
   }
   Bbv;

/*--- Files                                                ---*/

/* Vectors: a .bb file that is being written. */
typedef
   struct {
      char*   path;
      FILE*   f;                // NULL: none
      RunSlices* slices;
   }
   Vectors;

/* Open the file of THREAD; DCFG_ALL_THREADS: the global one. */
static Vectors open_vectors(const Bbv* b, uint32_t thread)
{
   const char* suffix = compressed_suffix(b->prefix);
   int         n = (int)(suffix - b->prefix);
   Vectors     v;

   v.path = text_copy(thread == DCFG_ALL_THREADS
                      ? text_format("%.*s.global.bb%s", n, b->prefix, suffix)
                      : text_format("%.*s.T.%" PRIu32 ".bb%s", n, b->prefix,
                                    thread, suffix));
   v.f = open_result(v.path);
   v.slices = slices_new(&b->g, v.f, b->size, b->heads, b->from_begin,
                         thread);
   return v;
}

static void close_vectors(Bbv* b, Vectors* v)
{
   uint64_t n = slices_end(v->slices);

   finish_result(v->f);
   GROW(b->written, b->n_written, b->room);
   b->written[b->n_written++] = text_copy(
      text_format("wrote %s: %s slice%s", v->path, text_count(n),
                  n == 1 ? "" : "s"));
   text_forget();
   free(v->path);
   v->f = NULL;
}

/* Name all files: they are complete. */
static void name_files(Bbv* b)
{
   name_results();
   for (uint32_t i = 0; i < b->n_written; i++) {
      complain("%s", b->written[i]);
      free(b->written[i]);
   }
   free(b->written);
}

/*--- A thread's edges                                     ---*/

static DcfgTrace* open_trace(const Bbv* b, uint32_t thread)
{
   DcfgOptions options = read_options(NULL, NULL);
   DcfgError   err;
   DcfgTrace*  t = dcfg_trace_open(b->trace, &options, &err);

   if (t == NULL)
      die("%s", unreadable(&err, KIND_TRACE));
   dcfg_trace_select(t, b->p->id, thread);
   dcfg_trace_count_with(t, b->p);
   return t;
}

static const DcfgEdge* need_edge(const Bbv* b, uint32_t id)
{
   uint32_t edge = dcfg_edge_by_id(b->p, id);

   if (edge == DCFG_NONE)
      die("edge %" PRIu32 " is not in the DCFG: do the files belong "
          "together?", id);
   return &b->p->edges[edge];
}

/* Write the vectors of each thread, one after the other.  With GLOBAL, the only
   thread of a program is also the whole program. */
static void each_thread(Bbv* b, uint32_t only, bool global)
{
   static uint32_t ids[N_EDGES];
   DcfgTrace*      t = open_trace(b, only);
   DcfgError       err;
   Vectors         own = { 0 }, all = { 0 };
   uint64_t        thread = UINT64_MAX;
   size_t          n;

   while ((n = dcfg_trace_next(t, ids, N_EDGES, &err)) > 0) {
      const DcfgChunkInfo* info = dcfg_trace_chunk_info(t);
      if (info->thread >= b->p->n_threads)
         die("thread %" PRIu32 " is not in the DCFG: do the files belong "
             "together?", info->thread);
      if (info->thread != thread) {
         if (own.f != NULL)
            close_vectors(b, &own);
         thread = info->thread;
         own = open_vectors(b, info->thread);
         if (global && all.f == NULL)
            all = open_vectors(b, DCFG_ALL_THREADS);
      }
      for (size_t i = 0; i < n; i++) {
         uint32_t node = need_edge(b, ids[i])->target;
         slices_block(own.slices, node);
         if (global)
            slices_block(all.slices, node);
      }
      text_forget();
   }
   if (err.status != DCFG_OK)
      die("%s", unreadable(&err, KIND_TRACE));
   if (own.f == NULL)
      die("%s has nothing of process %" PRIu64 "%s", b->trace, b->p->id,
          only != DCFG_ALL_THREADS ? " and this thread" : "");
   close_vectors(b, &own);
   if (all.f != NULL)
      close_vectors(b, &all);
   dcfg_trace_close(t);
}

/*--- All threads in their order                           ---*/

/* Stream: one thread, as far as it has been read. */
typedef
   struct {
      DcfgTrace* t;
      uint32_t   ids[N_EDGES];
      size_t     next, n;
      uint64_t   instrs;        // instructions of blocks that have begun
      uint64_t   due;           // instructions of its turns so far
      uint32_t   waiting;       // the next block, which has not begun
   }
   Stream;

/* Begin the waiting block. */
static void begin_block(const Bbv* b, Stream* s, RunSlices* slices)
{
   if (s->waiting == DCFG_NONE)
      return;
   slices_block(slices, s->waiting);
   s->instrs += b->p->nodes[s->waiting].n_instrs;
   s->waiting = DCFG_NONE;
}

static const DcfgEdge* next_edge(const Bbv* b, Stream* s, uint32_t thread)
{
   DcfgError err;

   if (s->next == s->n) {
      s->n = dcfg_trace_next(s->t, s->ids, N_EDGES, &err);
      s->next = 0;
      if (s->n == 0 && err.status != DCFG_OK)
         die("%s", unreadable(&err, KIND_TRACE));
      if (s->n == 0)
         die("thread %" PRIu32 " has more edges in its turns than in its "
             "trace: do the files belong together?", thread);
   }
   return need_edge(b, s->ids[s->next++]);
}

/* Take a turn.  It may end inside a block, which then has begun in this turn,
   or before the target of its last edge: the number of instructions tells. */
static void take_turn(const Bbv* b, Stream* s, const Turn* turn,
                      RunSlices* slices)
{
   s->due += turn->instrs;
   for (uint64_t i = 0; i < turn->edges; i++) {
      const DcfgEdge* e = next_edge(b, s, turn->thread);
      begin_block(b, s, slices);
      if (b->p->nodes[e->target].kind == DCFG_NODE_BLOCK)
         s->waiting = e->target;
   }
   if (s->due > s->instrs)
      begin_block(b, s, slices);
}

static void in_order(Bbv* b, const char* path)
{
   Stream** streams = zalloc(b->p->n_threads, sizeof(*streams));
   Turns*   turns = turns_open(path);
   Vectors  all = open_vectors(b, DCFG_ALL_THREADS);
   Turn     turn;

   while (turns_next(turns, &turn)) {
      Stream* s;
      if (turn.thread >= b->p->n_threads)
         die("%s: there is no thread %" PRIu32, path, turn.thread);
      s = streams[turn.thread];
      if (s == NULL) {
         s = streams[turn.thread] = zalloc(1, sizeof(*s));
         s->t = open_trace(b, turn.thread);
         s->waiting = DCFG_NONE;
      }
      take_turn(b, s, &turn, all.slices);
      text_forget();
   }
   turns_close(turns);
   for (uint32_t i = 0; i < b->p->n_threads; i++)
      if (streams[i] != NULL) {
         if (streams[i]->due != dcfg_process_instrs(b->p, i))
            die("%s: thread %" PRIu32 " has %" PRIu64 " instructions, in the "
                "DCFG it has %" PRIu64 ": do the files belong together?",
                path, i, streams[i]->due, dcfg_process_instrs(b->p, i));
         dcfg_trace_close(streams[i]->t);
         free(streams[i]);
      }
   free(streams);
   close_vectors(b, &all);
}

/* --- The whole command                                    --- */

/* Return the heads of selected loops. */
static bool* find_heads(const Program* g, const Select* what)
{
   bool*      heads = zalloc(g->p->n_nodes, sizeof(*heads));
   Selection* sel = selection_new(g, what);
   uint32_t   n = 0;

   for (uint32_t i = 0; i < g->p->n_loops; i++) {
      uint32_t head = g->p->loops[i].head;
      if (head == DCFG_NONE || !is_selected(sel, head))
         continue;
      heads[head] = true;
      n++;
   }
   selection_free(sel);
   if (n == 0)
      die("there is no loop to end a slice at");
   return heads;
}

static int run(int argc, char** argv)
{
   Bbv         b = { .prefix = "bbv", .size = 100000000 };
   Select      what = SELECT_ALL;
   bool        at_loops = false;
   const char* turns = NULL;
   const Opt   opts[] = {
      { "slice", OPT_COUNT, &b.size, "N",
        "a slice ends before the first block that begins when it has N "
        "instructions [100000000]" },
      { "at-loops", OPT_FLAG, &at_loops, NULL,
        "only before the head of a loop" },
      { "turns", OPT_TEXT, &turns, "FILE",
        "the order, from valgrind's --trace-turns=yes" },
      { "o", OPT_TEXT, &b.prefix, "PREFIX",
        "how the files are called [bbv]; compressed if it ends in .gz, .bz2, "
        ".xz or .zst, and then so do they" },
      SELECT_THREAD(&what), SELECT_PLACES(&what),
      OPT_REMARK("(with --at-loops: only loops with their heads there)")
   };
   const char* files[2];
   int         n;
   uint32_t    only;
   Dcfg*       d;

   n = parse_args(&bbv_command, OPTS(opts), argc, argv, files, 0, 2);
   if (n == 1)
      one_is_missing(&bbv_command, files[0]);
   if (n == 0)
      default_files(&bbv_command, files, true);
   if (b.size == 0)
      die("--slice needs at least one instruction");
   if (!at_loops && (what.image != NULL || what.routine != NULL
                     || what.function != NULL || what.source != NULL))
      die("--image, --routine, --function and --source say at which loops "
          "slices end: --at-loops");
   d = load_dcfg(files[0]);
   b.g.d = d;
   b.p = b.g.p = main_process(d);
   b.graph = files[0];
   b.trace = files[1];
   only = need_thread(d, what.thread);
   if (turns != NULL && (only != DCFG_ALL_THREADS
                         || strcmp(files[1], "-") == 0))
      die("--turns is for all threads of a trace that can be read more than "
          "once");
   if (turns != NULL && b.p->n_threads > MAX_OPEN)
      die("--turns is for at most %d threads", MAX_OPEN);
   if (at_loops)
      b.heads = find_heads(&b.g, &what);
   b.from_begin = counts_from_begin(&b.g);
   each_thread(&b, only, b.p->n_threads == 1 && turns == NULL);
   if (turns != NULL)
      in_order(&b, turns);
   else if (b.p->n_threads > 1 && only == DCFG_ALL_THREADS)
      complain("no vectors of all threads together: in which order they ran "
               "says --trace-turns=yes");
   name_files(&b);
   free(b.heads);
   dcfg_free(d);
   return STATUS_OK;
}

const Command bbv_command = {
   "bbv", "[FILE TRACE]", "basic-block vectors, for SimPoint and LoopPoint",
   "Cuts a run into slices and writes of each how many instructions it has in\n"
   "which block, from a DCFG-trace and the DCFG of the same run (FILE): as\n"
   "PinPlay's .bb files, which SimPoint reads too.  There is one for each\n"
   "thread, PREFIX.T.N.bb, and one for all together, PREFIX.global.bb, if it is\n"
   "known in which order they ran.  A block's id is its NODE_ID.\n",
   "\n"
   "example:\n"
   "  dcfg bbv --slice=1000000 -o lua out.json trace.json\n"
   "  simpoint -loadFVFile lua.T.0.bb -maxK 10 -saveSimpoints lua.simpoints \\\n"
   "     -saveSimpointWeights lua.weights\n"
   "  dcfg regions lua.T.0.bb lua.simpoints lua.weights out.json\n",
   run
};
