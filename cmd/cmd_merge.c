
/*--------------------------------------------------------------------*/
/*--- dcfg merge.                                    cmd_merge.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: the subcommand merge: which runs there are, and in which order they are
   added.  Handed: a command line.  Taken by: commands.c.

   A file is read twice, for the result must not depend on the order in which
   files are named: first for what it is to be ordered by, then to be added.
   So there is never more than one beside the result. */

#include "commands.h"
#include "merge_images.h"
#include "merge_runs.h"
#include "operands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef
   struct {
      const char* path;
      uint32_t    process;      // in the file
      uint64_t    id, instrs, hash;
   }
   Run;

typedef
   struct {
      Run*        runs;
      uint32_t    n, room;
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

static int by_contents(const void* a, const void* b)
{
   const Run* x = a;
   const Run* y = b;

   return x->id != y->id ? (x->id < y->id ? -1 : 1)
          : x->instrs != y->instrs ? (x->instrs < y->instrs ? -1 : 1)
          : x->hash < y->hash ? -1 : x->hash > y->hash;
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
         job->runs[job->n++] = (Run){ files[i], k, g.p->id, g.p->instr_count,
                                      run_hash(&g) };
         text_forget();
      }
      free_run(job, d);
   }
   qsort(job->runs, job->n, sizeof(*job->runs), by_contents);
}

static void add_run(Job* job, Merged* m, const Run* run)
{
   Dcfg*   d = load_run(job, run->path);
   Program g = { d, dcfg_process(d, run->process), true };

   if (g.p == NULL || g.p->id != run->id || run_hash(&g) != run->hash)
      die("%s: it was changed while it was read", run->path);
   merged_add(m, job->names, &g, run->path, job->keep, job->root);
   free_run(job, d);
   text_forget();
}

/* Ids are what tells processes in one file apart. */
static void number_processes(const Job* job, Merged* all)
{
   uint64_t next = job->runs[job->n - 1].id + 1;

   for (uint32_t i = 1; i < job->n; i++) {
      if (job->runs[i].id != job->runs[i - 1].id)
         continue;
      if (next > UINT32_MAX)
         die("there is no number left for a second process %" PRIu64,
             job->runs[i].id);
      complain("%s: there is a process %" PRIu64 " already, this one becomes "
               "%" PRIu64, job->runs[i].path, job->runs[i].id, next);
      all[i].process_id = next++;
   }
}

static void merge(Job* job)
{
   uint32_t n = job->processes ? job->n : 1;
   Merged*  all = zalloc(n, sizeof(*all));

   job->names = interned_new();
   for (uint32_t i = 0; i < job->n; i++)
      add_run(job, &all[job->processes ? i : 0], &job->runs[i]);
   if (job->processes)
      number_processes(job, all);
   merged_write(all, n, open_result(job->out));
   close_result();
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
      { "o", OPT_TEXT, &job.out }, { "threads", OPT_TEXT, &threads },
      { "processes", OPT_FLAG, &job.processes },
      { "root", OPT_TEXT, &job.root }
   };
   const char*  keep = threads;
   int          n = parse_args(&merge_command, opts,
                               sizeof(opts) / sizeof(opts[0]), argc, argv,
                               files, 1, argc);
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
   find_runs(&job, (char**)files, n);
   merge(&job);
   dcfg_free(job.input);
   free(job.runs);
   free(files);
   return STATUS_OK;
}

const Command merge_command = {
   "merge", "FILE...", "several runs as one, or as processes of one file",
   "Writes the sum of runs of one program as a DCFG: with other inputs, of\n"
   "forked children, of shards of a test, wherever images were loaded.\n"
   "Images are the same if their names are; code is the same at the same\n"
   "offset in them.  Blocks are divided where any run divides them, and\n"
   "routines, dominators and loops are those of the sum.  In which order files\n"
   "are named makes no difference.\n"
   "\n"
   "options:\n"
   "  -o FILE            write there [the standard output]\n"
   "  --threads=keep     threads of all runs side by side, in the order of\n"
   "                     process ids [keep]\n"
   "  --threads=add      thread 0 of all runs is thread 0, and so on; then a\n"
   "                     thread has as many ENTRY and EXIT edges as runs\n"
   "  --processes        nothing is added: each run is a process of the file\n"
   "  --root=DIR         look for the images' code below DIR: it says where\n"
   "                     instructions begin in blocks that only some runs\n"
   "                     divide\n"
   "\n"
   "Other builds of an image cannot be merged.\n"
   "\n"
   "examples:\n"
   "  dcfg merge -o all.json dcfg.out.*.json\n"
   "  dcfg merge --processes -o job.json 0.json 1.json 2.json 3.json\n",
   run
};

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
