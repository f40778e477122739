/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg merge. */

/* Owns: the subcommand merge: which runs there are, and in which order they are
   added.  Handed: a command line.  Taken by: commands.c.

   A file is read twice, for the result must not depend on the order in which
   files are named: first for what it is to be ordered by, then to be added.
   So there is never more than one beside the result.

   Parts of one run become that run first.  Whether one part goes on where
   another one ends its PART says, which counts what ran before. */

#include "cmd/commands.h"
#include "cmd/merge/merge_images.h"
#include "cmd/merge/merge_parts.h"
#include "cmd/merge/merge_runs.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

typedef
   struct {
      const char* path;
      uint32_t    process;      // in the file
      uint64_t    id, instrs, hash;
      uint32_t    part, first_part;     // 0: it is no part
      uint32_t    n_threads;
      uint64_t*   before;       // for a part: instructions by thread in the
      uint64_t*   after;        // parts before it, and with its own
      uint32_t    next;         // run by number: the next part, or NO_RUN
      bool        goes_on;      // is it the next part of another run?
      uint64_t    sum;          // instructions, with all next parts
   }
   MergedRun;

#define NO_RUN UINT32_MAX

#define BIG_BLOCK (256 * 1024)

typedef
   struct {
      MergedRun*        runs;
      uint32_t    n, room;
      MergedRun*        heads;        // runs in order, each as its first part
      uint32_t    n_heads;
      Dcfg*       input;        // the standard input: read once
      Interned*   names;
      const char* root;
      const char* out;          // or NULL
      bool        keep, processes, mangled;
   }
   Job;

static Dcfg* load_run(Job* job, const char* path)
{
   if (strcmp(path, "-") != 0)
      return load_dcfg(path);
   if (job->input == NULL)
      job->input = load_dcfg(path);
   return job->input;
}

static void free_run(const Job* job, Dcfg* d)
{
   if (d != job->input)
      dcfg_free(d);
}

COMPARE(by_contents, MergedRun, UP(id) ?: UP(instrs) ?: UP(hash))

COMPARE(by_sum, MergedRun, UP(id) ?: UP(sum) ?: UP(hash))

static MergedRun describe(const char* path, uint32_t process, const Program* g)
{
   const DcfgProcess* p = g->p;
   MergedRun                r = { .path = path, .process = process, .id = p->id,
                            .instrs = p->instr_count, .hash = run_hash(g),
                            .next = NO_RUN };

   if (p->part == NULL || p->part->n_preceding != p->n_threads)
      return r;
   r.part = p->part->number;
   r.first_part = p->part->first;
   r.n_threads = p->n_threads;
   r.before = zalloc(p->n_threads, sizeof(*r.before));
   r.after = zalloc(p->n_threads, sizeof(*r.after));
   for (uint32_t t = 0; t < p->n_threads; t++) {
      r.before[t] = p->part->preceding[t];
      r.after[t] = r.before[t] + dcfg_process_instrs(p, t);
   }
   return r;
}

static bool follows(const MergedRun* a, const MergedRun* b)
{
   if (b->part != a->part + 1 || b->first_part != a->first_part
       || b->id != a->id || b->n_threads < a->n_threads || b->goes_on)
      return false;
   for (uint32_t t = 0; t < b->n_threads; t++)
      if (b->before[t] != (t < a->n_threads ? a->after[t] : 0))
         return false;
   return true;
}

/* Find for each part the part that follows it. */
static void join_parts(Job* job)
{
   uint32_t first = 0;

   for (uint32_t i = 0; i < job->n; i++) {
      MergedRun* a = &job->runs[i];
      if (a->id != job->runs[first].id)
         first = i;
      for (uint32_t k = first; a->part != 0 && a->next == NO_RUN
           && k < job->n && job->runs[k].id == a->id; k++)
         if (follows(a, &job->runs[k])) {
            a->next = k;
            job->runs[k].goes_on = true;
         }
   }
   for (uint32_t i = 0; i < job->n; i++) {
      MergedRun* a = &job->runs[i];
      if (a->part != a->first_part && !a->goes_on)
         complain("%s: part %" PRIu32 " of process %" PRIu64 ", without part "
                  "%" PRIu32 ": taken for a run of its own", a->path, a->part,
                  a->id, a->part - 1);
   }
}

static void find_runs(Job* job, char** files, int n)
{
   for (int i = 0; i < n; i++) {
      Dcfg* d = load_run(job, files[i]);
      if (d->n_processes == 0)
         die("there is no process in %s", files[i]);
      for (uint32_t k = 0; k < d->n_processes; k++) {
         Program g = { d, dcfg_process(d, k), true };
         GROW(job->runs, job->n, job->room);
         job->runs[job->n++] = describe(files[i], k, &g);
         text_forget();
      }
      free_run(job, d);
   }
   qsort(job->runs, job->n, sizeof(*job->runs), by_contents);
   join_parts(job);
}

static void add_run(Job* job, Merged* m, const MergedRun* run, AddHow how)
{
   Dcfg*   d = load_run(job, run->path);
   Program g = { d, dcfg_process(d, run->process), true };

   if (g.p == NULL || g.p->id != run->id || run_hash(&g) != run->hash)
      die("%s: it was changed while it was read", run->path);
   merged_add(m, job->names, &g, run->path, how, job->root);
   free_run(job, d);
   text_forget();
}

/* The run that begins with RUN. */
static void add_parts(Job* job, Merged* m, const MergedRun* run)
{
   add_run(job, m, run, NEXT_PART);
   for (; run->next != NO_RUN; run = &job->runs[run->next])
      add_run(job, m, &job->runs[run->next], NEXT_PART);
   join_blocks(m);
}

/* The same beside other runs: as the file that it would have. */
static void add_sum(Job* job, Merged* m, const MergedRun* run, AddHow how)
{
   Merged  sum = { 0 };
   char    name[40];
   FILE*   f = tmpfile();
   Dcfg*   d;
   Program g;

   if (f == NULL)
      die("no temporary file: %s", strerror(errno));
   add_parts(job, &sum, run);
   merged_write(&sum, 1, f);
   merged_clear(&sum);
   if (fflush(f) != 0 || ferror(f))
      die("a temporary file: %s", strerror(errno));
   snprintf(name, sizeof(name), "/proc/self/fd/%d", fileno(f));
   d = load_dcfg(name);
   g = (Program){ d, dcfg_process(d, 0), true };
   merged_add(m, job->names, &g, run->path, how, job->root);
   dcfg_free(d);
   fclose(f);
   text_forget();
}

/* Parts that go on where others end are put behind: they are no runs. */
static void order_runs(Job* job)
{
   MergedRun*     runs = zalloc(job->n, sizeof(*runs));
   uint32_t n = 0;

   for (uint32_t i = 0; i < job->n; i++) {
      MergedRun* r = &job->runs[i];
      if (r->goes_on)
         continue;
      for (const MergedRun* k = r; ; k = &job->runs[k->next]) {
         r->sum += k->instrs;
         if (k->next == NO_RUN)
            break;
      }
      runs[n++] = *r;
   }
   qsort(runs, n, sizeof(*runs), by_sum);
   job->heads = runs;
   job->n_heads = n;
}

/* Ids are what tells processes in one file apart. */
static void number_processes(const Job* job, Merged* all)
{
   const MergedRun* runs = job->heads;
   uint64_t   next = runs[job->n_heads - 1].id + 1;

   for (uint32_t i = 1; i < job->n_heads; i++) {
      if (runs[i].id != runs[i - 1].id)
         continue;
      if (next > UINT32_MAX)
         die("there is no number left for a second process %" PRIu64,
             runs[i].id);
      complain("%s: there is a process %" PRIu64 " already, this one becomes "
               "%" PRIu64, runs[i].path, runs[i].id, next);
      all[i].process_id = next++;
   }
}

static void merge(Job* job)
{
   uint32_t n = job->processes ? job->n_heads : 1;
   Merged*  all = zalloc(n, sizeof(*all));
   AddHow   how = job->keep ? KEEP_THREADS : ADD_THREADS;

   job->names = interned_new();
   for (uint32_t i = 0; i < job->n_heads; i++) {
      const MergedRun* run = &job->heads[i];
      Merged*    m = &all[job->processes ? i : 0];
      if (run->next == NO_RUN)
         add_run(job, m, run, how);
      else if (n == job->n_heads)
         add_parts(job, m, run);
      else
         add_sum(job, m, run, how);
   }
   if (job->processes)
      number_processes(job, all);
   merged_write(all, n, open_result(job->out));
   close_results();
   for (uint32_t i = 0; i < n; i++)
      merged_clear(&all[i]);
   free(all);
   interned_free(job->names);
}

static int run(int argc, char** argv)
{
   const char*  threads = "keep";
   const char** files = zalloc((size_t)argc, sizeof(*files));
   bool         threads_given;
   Job          job = { 0 };
   const Opt    opts[] = {
      { "o", OPT_TEXT, &job.out, "FILE", "write there [the standard output]" },
      { "threads", OPT_TEXT, &threads, "keep|add",
        "keep: threads of all runs side by side, in the order of process ids; "
        "add: thread 0 of all runs is thread 0, and so on; then a thread has "
        "as many ENTRY and EXIT edges as runs [keep]" },
      { "processes", OPT_FLAG, &job.processes, NULL,
        "nothing is added: each run is a process of the file" },
      { "root", OPT_TEXT, &job.root, "DIR",
        "look for images below DIR: their code says where instructions begin "
        "in blocks that only some runs divide" }
   };
   const char*  keep = threads;
   int          n = parse_args(&merge_command, OPTS(opts), argc, argv, files,
                               1, argc);
   int          n_inputs = 0;

   threads_given = threads != keep;
   if (strcmp(threads, "add") != 0 && strcmp(threads, "keep") != 0)
      die("--threads is add or keep, not `%s'", threads);
   if (threads_given && job.processes)
      die("--threads or --processes, not both");
   for (int i = 0; i < n; i++)
      n_inputs += strcmp(files[i], "-") == 0;
   if (n_inputs > 1)
      die("only one of the files can be the standard input");
   job.keep = strcmp(threads, "keep") == 0;
   /* Let big blocks be mappings of their own.  So the memory of a file goes
      back to the system when the file is freed.  In a heap it would remain, in
      pieces, below the memory that the result takes meanwhile. */
   mallopt(M_MMAP_THRESHOLD, BIG_BLOCK);
   find_runs(&job, (char**)files, n);
   order_runs(&job);
   merge(&job);
   dcfg_free(job.input);
   for (uint32_t i = 0; i < job.n; i++) {
      free(job.runs[i].before);
      free(job.runs[i].after);
   }
   free(job.runs);
   free(job.heads);
   free(files);
   return STATUS_OK;
}

const Command merge_command = {
   "merge", "FILE...", "several runs as one, or as processes of one file",
   "Writes the sum of runs of one program as a DCFG: with other inputs, of\n"
   "forked children, of shards of a test, wherever images were loaded.\n"
   "Parts of one run become that run first, as if it had not been cut.\n"
   "Images are the same if their names are; code is the same at the same\n"
   "offset in them.  Blocks are divided where any run divides them, and\n"
   "routines, dominators and loops are those of the sum.  In which order files\n"
   "are named makes no difference.\n",
   "\n"
   "Other builds of an image cannot be merged.\n"
   "\n"
   "examples:\n"
   "  dcfg merge -o all.json dcfg.out.*.json\n"
   "  dcfg merge --processes -o job.json 0.json 1.json 2.json 3.json\n",
   run
};
