/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg bbv: writes basic-block vectors, for SimPoint and LoopPoint. */

/* Owns: the subcommand bbv: the choice of threads and of loops' heads, and the
   files that it writes; whether counts of executions begin with the process.
   Handed: a command line.

   Vectors are those of each thread, which are read one after the other; those of
   all threads together, if the file of turns tells their order; or LoopPoint's.
   The order of blocks and the ends of slices are slices.c's matter.

   Markers count executions from the begin of the process, as simulators do.  A
   process begins at the entry of its program or, if the program has an
   interpreter, at the interpreter's entry.  The entry is in the ELF file. */

#include "cmd/base/names.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/base/select.h"
#include "cmd/commands.h"
#include "cmd/program/code.h"
#include "cmd/simpoint/simpoint.h"

#include <gelf.h>

/*--- Do counts begin with the program?                    ---*/

/* Return the block with which the first thread that executed anything began;
   DCFG_NONE: no thread did. */
static uint32_t first_block(const DcfgProcess* process)
{
   for (uint32_t t = 0; t < process->n_threads; t++)
      for (uint32_t i = 0; i < process->n_edges; i++) {
         const DcfgEdge* e = &process->edges[i];
         if (e->type == DCFG_EDGE_ENTRY && dcfg_edge_count(process, i, t) > 0
             && process->nodes[e->target].kind == DCFG_NODE_BLOCK)
            return e->target;
      }
   return DCFG_NONE;
}

/* Return whether block NODE is the entry of its image.  The image's file says
   so; if it cannot be read, the symbol _start does.  Set *KNOWN to false if
   neither tells. */
static bool is_entry(const Program* program, uint32_t node, bool* known)
{
   const DcfgNode* n = &program->p->nodes[node];
   Code*           c = code_quiet(program, NULL);
   struct Elf*     elf = code_elf(c, n->image);
   uint64_t        addr = 0;
   GElf_Ehdr       e;
   bool            there;

   *known = elf != NULL && gelf_getehdr(elf, &e) != NULL
            && code_file_addr(c, n->image, n->addr, &addr);
   there = *known && e.e_entry == addr;
   code_free(c);
   if (!*known && strcmp(node_name(program, node), "_start") == 0)
      there = *known = true;
   return there;
}

/* Return whether the tool left excluded code out of the graph. */
static bool has_gaps(const DcfgProcess* process)
{
   for (uint32_t i = 0; i < process->n_edges; i++)
      if (process->edges[i].type == DCFG_EDGE_EXCLUDED_CODE_BYPASS
          && process->edges[i].count > 0)
         return true;
   return false;
}

/* Return whether counts of executions begin with the process: whether the first
   recorded instruction is the entry of the program or of its interpreter.
   Return true if nothing tells.  Complain on stderr if the answer is no or not
   known, or if the tool left code out. */
static bool counts_from_begin(const Program* program)
{
   uint32_t node = first_block(program->p);
   bool     known, there = true;

   if (node == DCFG_NONE)
      return true;
   there = is_entry(program, node, &known);
   if (!known)
      complain("%s cannot be read: whether counts begin with the program is not "
               "known", image_path(program, program->p->nodes[node].image));
   else if (!there)
      complain("the trace does not begin with the program: counts are from there "
               "on, and dcfg regions refuses them");
   else if (has_gaps(program->p))
      complain("code was left out of the trace: counts are right only for code "
               "that was collected all the time");
   text_forget();
   return there || !known;
}

/*--- The run                                              ---*/

#define N_EDGES 4096

/* Bbv: the run, and the options. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      const char*        trace;
      const char*        prefix;
      uint64_t           size;
      bool*              heads;         // for each node: a slice may begin at
                                        // this loop's head; NULL: at any block
      bool               from_begin;    // see counts_from_begin()
      char**             written;       // messages about complete files
      uint32_t           n_written, room;
   }
   Bbv;

/*--- Files                                                ---*/

/* BbOut: a file that is being written. */
typedef
   struct {
      char* path;
      FILE* f;                  // NULL: none
   }
   BbOut;

/* Vectors: a .bb file, and the slices that go there. */
typedef
   struct {
      BbOut      out;
      RunSlices* slices;
   }
   Vectors;

/* Open the file PREFIX.NAME.  If PREFIX ends in a compressor's suffix, that
   comes behind NAME. */
static BbOut open_out(const Bbv* b, const char* name)
{
   const char* suffix = compressed_suffix(b->prefix);
   BbOut       out;

   out.path = text_copy(text_format("%.*s.%s%s", (int)(suffix - b->prefix),
                                    b->prefix, name, suffix));
   out.f = open_result(out.path);
   return out;
}

static const char* thread_file(uint32_t thread)
{
   return text_format("T.%" PRIu32 ".bb", thread);
}

/* Complete a file, which has N slices, and keep the message about it. */
static void close_out(Bbv* b, BbOut* out, uint64_t n)
{
   finish_result(out->f);
   GROW(b->written, b->n_written, b->room);
   b->written[b->n_written++] = text_copy(
      text_format("wrote %s: %s slice%s", out->path, text_count(n),
                  n == 1 ? "" : "s"));
   text_forget();
   free(out->path);
   out->f = NULL;
}

/* Open the file of THREAD; DCFG_ALL_THREADS: the global one. */
static Vectors open_vectors(const Bbv* b, uint32_t thread)
{
   Vectors v;

   v.out = open_out(b, thread == DCFG_ALL_THREADS ? "global.bb"
                       : thread_file(thread));
   v.slices = slices_new(&b->g, v.out.f, b->size, b->heads, b->from_begin,
                         thread);
   return v;
}

static void close_vectors(Bbv* b, Vectors* v)
{
   uint64_t n = slices_end(v->slices);

   close_out(b, &v->out, n);
}

/* Give all files, which are complete, their names, and report them. */
static void name_files(Bbv* b)
{
   name_results();
   for (uint32_t i = 0; i < b->n_written; i++) {
      complain("%s", b->written[i]);
      free(b->written[i]);
   }
   free(b->written);
}

/*--- Threads one after the other                          ---*/

/* Write the vectors of each thread, one after the other, or of thread ONLY.
   With GLOBAL, the program has one thread: write its vectors as the whole
   program's, too. */
static void each_thread(Bbv* b, uint32_t only, bool global)
{
   static uint32_t ids[N_EDGES];
   DcfgTrace*      t = load_trace(b->p, b->trace, only);
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
         if (own.out.f != NULL)
            close_vectors(b, &own);
         thread = info->thread;
         own = open_vectors(b, info->thread);
         if (global && all.out.f == NULL)
            all = open_vectors(b, DCFG_ALL_THREADS);
      }
      for (size_t i = 0; i < n; i++) {
         uint32_t node = need_edge(b->p, ids[i])->target;
         slices_block(own.slices, node);
         if (global)
            slices_block(all.slices, node);
      }
      text_forget();
   }
   need_file(err.status == DCFG_OK, &err, KIND_TRACE);
   if (own.out.f == NULL)
      refuse_other_run(b->trace, b->p->id, only != DCFG_ALL_THREADS);
   close_vectors(b, &own);
   if (all.out.f != NULL)
      close_vectors(b, &all);
   dcfg_trace_close(t);
}

/*--- All threads in their order                           ---*/

static void begin_block(void* slices, uint32_t thread, uint32_t node)
{
   (void)thread;
   slices_block(slices, node);
}

static void all_in_order(Bbv* b, const char* turns)
{
   Vectors all = open_vectors(b, DCFG_ALL_THREADS);

   ordered_blocks(b->p, b->trace, turns, begin_block, all.slices);
   close_vectors(b, &all);
}

/*--- LoopPoint                                            ---*/

/* OpenMP's libraries.  A thread waits there in loops, whose counts differ from
   run to run. */
static const char* const thread_libraries[] = {
   "libgomp.so*", "libiomp5.so*", "libomp.so*"
};
#define N_LIBRARIES (sizeof(thread_libraries) / sizeof(thread_libraries[0]))

/* Return for each image whether --looppoint skips it: one of OpenMP's
   libraries, or a match of GLOBS. */
static bool* skipped_images(const Bbv* b, const TextList* globs)
{
   bool* skipped = zalloc(b->p->n_images, sizeof(*skipped));

   for (uint32_t i = 0; i < b->p->n_images; i++)
      for (size_t k = 0; k < N_LIBRARIES; k++)
         if (image_fit(&b->g, i, thread_libraries[k]) >= FIT_GLOB)
            skipped[i] = true;
   for (size_t k = 0; k < globs->n; k++) {
      bool found = false;
      for (uint32_t i = 0; i < b->p->n_images; i++)
         if (image_fit(&b->g, i, globs->texts[k]) >= FIT_GLOB)
            skipped[i] = found = true;
      if (!found)
         complain("--skip=%s: there is no such image%s", globs->texts[k],
                  nearest_images(&b->g, globs->texts[k]));
   }
   return skipped;
}

/* Return for each node whether it is in a skipped image. */
static bool* skipped_nodes(const Bbv* b, const TextList* globs)
{
   bool* images = skipped_images(b, globs);
   bool* nodes = zalloc(b->p->n_nodes, sizeof(*nodes));

   for (uint32_t i = 0; i < b->p->n_nodes; i++)
      nodes[i] = b->p->nodes[i].image < b->p->n_images
                 && images[b->p->nodes[i].image];
   free(images);
   return nodes;
}

/* Return for each node whether it is code of IMAGE that can be a marker. */
static bool* own_nodes(const Bbv* b, const char* image)
{
   Select     what = SELECT_ALL;
   Selection* sel;
   bool*      own = zalloc(b->p->n_nodes, sizeof(*own));

   what.image = image;
   sel = selection_new(&b->g, &what);
   for (uint32_t i = 0; i < b->p->n_nodes; i++)
      own[i] = is_selected(sel, i) && !bb_repeats(b->p, i);
   selection_free(sel);
   return own;
}

/* Warn if slices are shorter than ten turns of each thread, so that they have
   few instructions of some.  N is the number of turns in the run. */
static void warn_of_turns(const Bbv* b, uint64_t n)
{
   uint64_t mean = b->p->instr_count / (n > 0 ? n : 1);

   if (b->p->n_threads > 1
       && (double)b->size < 10.0 * b->p->n_threads * (double)mean)
      complain("a slice of %s instructions is short: a turn of one of %" PRIu32
               " threads has %s, so take ten turns of each, --slice=%" PRIu64,
               text_count(b->size), b->p->n_threads, text_count(mean),
               10 * b->p->n_threads * mean);
}

static void loop_block(void* slices, uint32_t thread, uint32_t node)
{
   loop_slices_block(slices, thread, node);
}

/* Write the vectors of --looppoint, with the order of threads from file TURNS,
   markers in IMAGE, and without the images that match GLOBS. */
static void looppoint(Bbv* b, const char* turns, const char* image,
                      const TextList* globs)
{
   uint32_t    n_threads = b->p->n_threads;
   bool*       skipped = skipped_nodes(b, globs);
   bool*       own = own_nodes(b, image);
   LoopRules   rules = { b->size, b->heads, skipped, own, b->from_begin };
   LoopSlices* slices;
   BbOut       global = open_out(b, "global.bb");
   BbOut       concatenated = open_out(b, "global.cv");
   BbOut*      threads = zalloc(n_threads, sizeof(*threads));
   FILE**      files = zalloc(n_threads, sizeof(*files));
   uint32_t    n_heads = 0;
   uint64_t    n, n_turns;

   for (uint32_t i = 0; i < b->p->n_nodes; i++) {
      b->heads[i] &= own[i] && !skipped[i];
      own[i] &= !skipped[i];
      n_heads += b->heads[i];
   }
   if (n_heads == 0)
      die("there is no loop to end a slice at: all are skipped; --image=NAME "
          "takes loops of another image");
   for (uint32_t t = 0; t < n_threads; t++) {
      threads[t] = open_out(b, thread_file(t));
      files[t] = threads[t].f;
   }
   slices = loop_slices_new(&b->g, &rules, global.f, concatenated.f, files);
   n_turns = ordered_blocks(b->p, b->trace, turns, loop_block, slices);
   n = loop_slices_end(slices);
   for (uint32_t t = 0; t < n_threads; t++)
      close_out(b, &threads[t], n);
   close_out(b, &global, n);
   close_out(b, &concatenated, n);
   FREE_ALL(threads, files, skipped, own);
   warn_of_turns(b, n_turns);
}

/*--- The whole command                                    ---*/

/* Return for each node whether it is the head of a loop that WHAT selects.  Die
   if none is. */
static bool* find_heads(const Program* program, const Select* what)
{
   bool*      heads = zalloc(program->p->n_nodes, sizeof(*heads));
   Selection* sel = selection_new(program, what);
   uint32_t   n = 0;

   for (uint32_t i = 0; i < program->p->n_loops; i++) {
      uint32_t head = program->p->loops[i].head;
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
   bool        at_loops = false, loops = false;
   TextList    globs = { 0 };
   const char* turns = NULL;
   const Opt   opts[] = {
      { "slice", OPT_COUNT, &b.size, "N",
        "a slice ends before the first block that begins when it has N "
        "instructions [100000000]" },
      { "at-loops", OPT_FLAG, &at_loops, NULL,
        "only before the head of a loop" },
      { "turns", OPT_TEXT, &turns, "FILE",
        "the order, from valgrind's --trace-turns=yes" },
      { "looppoint", OPT_FLAG, &loops, NULL,
        "vectors of all threads cut together, before heads of loops of the "
        "program or --image, and concatenated, as LoopPoint does; needs "
        "--turns" },
      { "skip", OPT_TEXTS, &globs, "GLOB",
        "with --looppoint: leave out images that match, besides OpenMP's "
        "libraries; may be repeated" },
      { "o", OPT_TEXT, &b.prefix, "PREFIX",
        "how the files are called [bbv]; compressed if it ends in .gz, .bz2, "
        ".xz or .zst, and then so do they" },
      SELECT_THREAD(&what), SELECT_PLACES(&what),
      OPT_REMARK("(with --at-loops and --looppoint: only loops with heads there)")
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
   if (loops && turns == NULL)
      die("--looppoint needs the order of threads: --turns=FILE, from "
          "valgrind's --trace-turns=yes");
   if (!loops && globs.n > 0)
      die("--skip is for --looppoint");
   if (loops && what.image == NULL)
      what.image = "main";
   if (!(at_loops || loops) && names_place(&what))
      die("--image, --routine, --function and --source say at which loops "
          "slices end: --at-loops or --looppoint");
   d = load_dcfg(files[0]);
   b.g.d = d;
   b.p = b.g.p = main_process(d);
   b.trace = files[1];
   only = need_thread(d, what.thread);
   if (turns != NULL && (only != DCFG_ALL_THREADS
                         || strcmp(files[1], "-") == 0))
      die("--turns is for all threads of a trace that can be read more than "
          "once");
   if (turns != NULL && b.p->n_threads > MAX_ORDERED)
      die("--turns is for at most %d threads", MAX_ORDERED);
   if (at_loops || loops)
      b.heads = find_heads(&b.g, &what);
   b.from_begin = counts_from_begin(&b.g);
   if (loops)
      looppoint(&b, turns, what.image, &globs);
   else
      each_thread(&b, only, b.p->n_threads == 1 && turns == NULL);
   if (turns != NULL && !loops)
      all_in_order(&b, turns);
   else if (b.p->n_threads > 1 && only == DCFG_ALL_THREADS && !loops)
      complain("no vectors of all threads together, for their order is not "
               "known: record it with --trace-turns=yes, and give --turns=FILE");
   name_files(&b);
   FREE_ALL(b.heads, globs.texts);
   dcfg_free(d);
   return STATUS_OK;
}

const Command bbv_command = {
   "bbv", "[FILE TRACE]", "basic-block vectors, for SimPoint and LoopPoint",
   "Cuts a run into slices and writes of each how many instructions it has in\n"
   "which block, from a DCFG-trace and the DCFG of the same run (FILE): as\n"
   "PinPlay's .bb files, which SimPoint reads too.  There is one for each\n"
   "thread, PREFIX.T.N.bb, and one for all together, PREFIX.global.bb, if it is\n"
   "known in which order they ran.  A block's id is its NODE_ID.  With\n"
   "--looppoint there is also PREFIX.global.cv, with the vectors of all threads\n"
   "one behind the other, from which SimPoint chooses.\n",
   "\n"
   "example:\n"
   "  dcfg bbv --slice=1000000 -o lua out.json trace.json\n"
   "  simpoint -loadFVFile lua.T.0.bb -maxK 10 -saveSimpoints lua.simpoints \\\n"
   "     -saveSimpointWeights lua.weights\n"
   "  dcfg regions lua.T.0.bb lua.simpoints lua.weights out.json\n",
   run
};
