/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg merge. */

/* Owns: the subcommand merge: its files, its child processes, and which files
   are parts of one run.  Handed: a command line.

   A sum does not depend on the order of files.  Each file is read once, so
   memory has one file beside the result.  Parts of one run are the exception:
   they are joined to that run first, so their files are read a second time, in
   the order of parts.  A run that was joined, and the partial sums of the
   children of -j, go through temporary files: they are read like any other. */

#include "cmd/commands.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/merge/merge.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define BIG_BLOCK (256 * 1024)

typedef
   struct {
      Merged*     all;          // one sum, or one for each run
      uint32_t    n, room;
      MergedRun*  parts;         // held back until all files have been read
      uint32_t    n_parts, parts_room;
      LeftOut     left_out;
      Dcfg*       input;        // the standard input: it can be read only once
      Interned*   names;
      const char* root;
      const char* out;          // path, or NULL
      bool        keep, processes, partial, keep_going, apart;
      bool        in_place;     // runs that wait beside files are in them
   }
   Job;

/*--- Files                                                ---*/

/* Load the file; NULL if that fails, and *REASON says why. */
static Dcfg* load_file(Job* job, const char* path, const char** reason)
{
   DcfgError   err;
   Dcfg*       d;

   *reason = NULL;
   if (strcmp(path, "-") == 0 && job->input != NULL)
      return job->input;
   d = job->in_place ? dcfg_load(path, plain_options(), &err)
       : read_dcfg(path, plain_options(), &err);
   if (d == NULL)
      *reason = unreadable(&err, KIND_GRAPH);
   if (strcmp(path, "-") == 0)
      job->input = d;
   return d;
}

static void free_file(const Job* job, Dcfg* d)
{
   if (d != job->input)
      dcfg_free(d);
}

static FILE* temporary_file(void)
{
   FILE* f = tmpfile();

   if (f == NULL)
      die("no temporary file: %s", strerror(errno));
   return f;
}

static void flush_temporary(FILE* f)
{
   if (fflush(f) != 0 || ferror(f))
      die("a temporary file: %s", strerror(errno));
}

/* Load the temporary file F, and close it.  SHOWN is its name in messages. */
static Dcfg* load_temporary(FILE* f, const char* shown)
{
   DcfgError   err;
   off_t       size = fseeko(f, 0, SEEK_END) == 0 ? ftello(f) : -1;
   void*       text = size <= 0 ? MAP_FAILED
                      : mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE,
                             fileno(f), 0);
   Dcfg*       d;

   if (text == MAP_FAILED)
      die("a temporary file: %s", strerror(errno));
   d = dcfg_load_memory(text, (size_t)size, shown, plain_options(), &err);
   need_file(d != NULL, &err, KIND_GRAPH);
   munmap(text, (size_t)size);
   fclose(f);
   return d;
}

static const char* file_fault(const Dcfg* d)
{
   const char* fault = d->n_processes == 0 ? "there is no process in it"
                       : NULL;

   for (uint32_t i = 0; fault == NULL && i < d->n_processes; i++) {
      Program g = { d, dcfg_process(d, i), true };
      fault = run_fault(&g);
   }
   return fault;
}

static void leave_out(Job* job, const char* file, const char* reason)
{
   LeftOut* l = &job->left_out;

   GROW(l->all, l->n, l->room);
   l->all[l->n++] = (DcfgLeftOut){ text_copy(file), text_copy(reason) };
}

/* Leave out the file SHOWN, or die.  REASON of the library begins with the
   file's name. */
static void refuse(Job* job, const char* shown, const char* reason)
{
   size_t n = strlen(shown);
   bool   named = strncmp(reason, shown, n) == 0
                  && (reason[n] == ':' || reason[n] == ' ');

   if (!job->keep_going)
      die(named ? "%s%s" : "%s: %s", named ? "" : shown, reason);
   leave_out(job, shown, named && reason[n] == ':'
             ? reason + n + strspn(reason + n, ": ") : reason);
}

/*--- Sums                                                 ---*/

static Merged* new_sum(Job* job)
{
   GROW(job->all, job->n, job->room);
   job->all[job->n] = merged_new(job->names, job->keep, job->apart);
   return &job->all[job->n++];
}

/* Add a process, read from PATH, to its sum: RUN, or with NULL a partial
   sum. */
static void add_process(Job* job, const Program* g, const MergedRun* run,
                        const char* path)
{
   merged_add(job->n == 0 || job->processes ? new_sum(job) : job->all, g, run,
              NULL, path, job->root);
   text_forget();
}

/* Add a partial sum.  Die if it was made with other options: it cannot be
   converted. */
static void add_partial(Job* job, const Program* g, const char* shown)
{
   const DcfgMerged* p = g->p->merged;

   if (job->processes)
      die("%s is a partial sum: --processes needs the file of each run", shown);
   if (strcmp(p->threads, job->keep ? "keep" : "add") != 0 && p->n_runs > 0)
      die("%s is a partial sum with --threads=%s: give that option here, too",
          shown, p->threads);
   if ((strcmp(p->builds, "apart") == 0) != job->apart && p->n_runs > 0)
      die("%s is a partial sum %s --builds=apart: merge all files in the same "
          "way",
          shown, job->apart ? "without" : "with");
   if (p->n_runs > 0)
      add_process(job, g, NULL, shown);
   job->left_out.n_files += p->n_files;
   for (uint32_t i = 0; i < p->n_left_out; i++)
      leave_out(job, p->left_out[i].file, p->left_out[i].reason);
}

/* Add what D has, or hold it back if it is a part. */
static void add_loaded(Job* job, const Dcfg* d, const char* shown)
{
   bool partial = false;

   shown = intern(job->names, shown);
   for (uint32_t i = 0; i < d->n_processes; i++) {
      Program   g = { d, dcfg_process(d, i), true };
      MergedRun run;
      if (g.p->merged != NULL) {
         partial = true;
         add_partial(job, &g, shown);
         continue;
      }
      run = describe_run(&g, shown);
      if (run.key.first_part != 0) {
         run.process = i;
         GROW(job->parts, job->n_parts, job->parts_room);
         job->parts[job->n_parts++] = run;
      } else {
         add_process(job, &g, &run, shown);
      }
   }
   job->left_out.n_files += !partial;
}

static void add_file(Job* job, const char* path)
{
   const char* reason;
   Dcfg*       d = load_file(job, path, &reason);

   if (d != NULL)
      reason = file_fault(d);
   if (reason != NULL)
      refuse(job, path, reason);
   else
      add_loaded(job, d, path);
   free_file(job, d);
}

/*--- Parts                                                ---*/

/* Find the next part of each of N runs, which are in order. */
static void find_next_parts(MergedRun* runs, uint32_t n)
{
   uint32_t first = 0;

   for (uint32_t i = 0; i < n; i++) {
      DcfgMergedRun* a = &runs[i].key;
      if (a->id != runs[first].key.id)
         first = i;
      for (uint32_t k = first; a->first_part != 0 && runs[i].next == NO_ID
           && k < n && runs[k].key.id == a->id; k++) {
         const DcfgMergedRun* b = &runs[k].key;
         if (runs[k].goes_on || b->first_part != a->first_part
             || b->part != a->last_part + 1 || b->begin != a->end)
            continue;
         runs[i].next = k;
         runs[k].goes_on = true;
      }
   }
}

/* Load the file of a part once more. */
static Dcfg* load_part(Job* job, const MergedRun* part, Program* g)
{
   const char* reason;
   Dcfg*       d = load_file(job, part->path, &reason);

   if (d == NULL)
      die("%s: it was changed while it was read: %s", part->path, reason);
   *g = (Program){ d, dcfg_process(d, part->process), true };
   if (g->p != NULL) {
      MergedRun now = describe_run(g, part->path);
      if (run_order(&now, part) == 0)
         return d;
   }
   die("%s: it was changed while it was read", part->path);
}

/* Join the run that begins with RUN, its first part, and load it as a file of
   its own.  RUN becomes the whole. */
static Dcfg* load_joined(Job* job, MergedRun* run)
{
   Merged           sum = merged_new(job->names, false, false);
   FILE*            f = temporary_file();
   const MergedRun* part = run;

   while (true) {
      Program g;
      Dcfg*   d = load_part(job, part, &g);
      merged_add(&sum, &g, NULL, g.p->part, part->path, job->root);
      sum.process_id = g.p->id;
      free_file(job, d);
      text_forget();
      if (part->next == NO_ID)
         break;
      part = &job->parts[part->next];
      add_exact(&run->key.instr_count, part->key.instr_count, "instructions");
   }
   run->key.last_part = part->key.part;
   run->key.end = part->key.end;
   join_parts(&sum);
   merged_write(&sum, 1, NULL, f);
   merged_free(&sum);
   flush_temporary(f);
   return load_temporary(f, run->path);
}

static void add_parts(Job* job)
{
   SORT(job->parts, job->n_parts, run_order);
   find_next_parts(job->parts, job->n_parts);
   for (uint32_t i = 0; i < job->n_parts; i++) {
      const MergedRun* r = &job->parts[i];
      if (r->key.part != r->key.first_part && !r->goes_on)
         complain("%s: part %" PRIu32 " of process %" PRIu64 ", without part "
                  "%" PRIu32 ": taken for a run of its own", r->path,
                  r->key.part, r->key.id, r->key.part - 1);
   }
   for (uint32_t i = 0; i < job->n_parts; i++) {
      MergedRun run = job->parts[i];
      Program   g;
      Dcfg*     d;
      if (run.goes_on)
         continue;
      if (run.next == NO_ID) {
         d = load_part(job, &run, &g);
      } else {
         d = load_joined(job, &run);
         g = (Program){ d, dcfg_process(d, 0), true };
         run.key.n_threads = g.p->n_threads;
         run.next = NO_ID;
      }
      add_process(job, &g, &run, run.path);
      free_file(job, d);
   }
   free(job->parts);
   job->parts = NULL;
   job->n_parts = job->parts_room = 0;
}

/* Die if two runs of M are parts of one run.  A later merge cannot join them:
   the edges at the cut are gone. */
static void refuse_split(const Merged* m)
{
   find_next_parts(m->runs, m->n_runs);
   for (uint32_t i = 0; i < m->n_runs; i++) {
      const MergedRun* a = &m->runs[i];
      const MergedRun* b = a->next == NO_ID ? NULL : &m->runs[a->next];
      if (b != NULL)
         die("%s has process %" PRIu64 " up to part %" PRIu32 ", %s from "
             "part %" PRIu32 " on: the parts of a run must meet in the "
             "first merge", a->path, a->key.id, a->key.last_part, b->path,
             b->key.part);
   }
}

/*--- The result                                           ---*/

COMPARE(by_file, DcfgLeftOut,
        strcmp(x->file, y->file) ?: strcmp(x->reason, y->reason))

/* Add the files, unless children did, and what waited for all of them. */
static void add_files(Job* job, const FileNames* names)
{
   for (uint32_t i = 0; i < names->n; i++)
      add_file(job, names->all[i]);
   add_parts(job);
   SORT(job->left_out.all, job->left_out.n, by_file);
}

/* Finish the sums: all runs are there. */
static void finish_sums(Job* job)
{
   for (uint32_t i = 0; i < job->n; i++) {
      order_runs(&job->all[i]);
      refuse_split(&job->all[i]);
   }
   if (job->processes && job->n > 0)
      order_processes(job->all, job->n);
}

static void write_sums(Job* job, FILE* out)
{
   if (job->n == 0)
      new_sum(job);             // with no run, there is an empty sum
   merged_write(job->all, job->n, job->partial ? &job->left_out : NULL, out);
}

static void free_job(Job* job)
{
   for (uint32_t i = 0; i < job->n; i++)
      merged_free(&job->all[i]);
   for (uint32_t i = 0; i < job->left_out.n; i++) {
      FREE_ALL(job->left_out.all[i].file, job->left_out.all[i].reason);
   }
   FREE_ALL(job->all, job->left_out.all);
   interned_free(job->names);
   dcfg_free(job->input);
}

static int say_left_out(const LeftOut* l)
{
   if (l->n == 0)
      return STATUS_OK;
   for (uint32_t i = 0; i < l->n; i++)
      complain("%s: left out: %s", text_clean(l->all[i].file),
               l->all[i].reason);
   complain("%s of %s files; %s left out", text_count(l->n_files),
            text_count(l->n_files + l->n), text_count(l->n));
   return STATUS_SOME;
}

/*--- Child processes                                      ---*/

typedef
   struct {
      FileNames names;
      FILE*     file;           // for its partial sum
      pid_t     pid;
   }
   Child;

/* Make a partial sum of the files, whatever the result is. */
static _Noreturn void work(Job* job, const Child* c)
{
   job->partial = true;
   add_files(job, &c->names);
   finish_sums(job);
   write_sums(job, c->file);
   flush_temporary(c->file);
   _exit(STATUS_OK);
}

static void start_child(Job* job, Child* c)
{
   pid_t parent = getpid();

   c->file = temporary_file();
   fflush(NULL);
   c->pid = fork();
   if (c->pid < 0)
      die("a process cannot be started: %s", strerror(errno));
   if (c->pid > 0)
      return;
   /* End with the parent: then nobody wants the sum any more. */
   prctl(PR_SET_PDEATHSIG, SIGTERM);
   if (getppid() != parent)
      _exit(STATUS_BAD);
   work(job, c);
}

/* Wait for a child, and add its sum.  Die if it failed; a child that exits with
   an error has said why. */
static void add_child(Job* job, Child* c)
{
   int         status = wait_for(c->pid);
   const char* shown = c->names.all[0];
   Dcfg*       d;

   if (status < 0)
      die("a process of -j is lost: %s", strerror(errno));
   if (WIFSIGNALED(status))
      die("a process of -j was ended by signal %d (%s), while it merged %s",
          WTERMSIG(status), strsignal(WTERMSIG(status)), shown);
   if (status != 0)
      exit(STATUS_BAD);
   if (c->names.n > 1)
      shown = text_format("one of %s and %" PRIu32 " other files", shown,
                          c->names.n - 1);
   shown = intern(job->names, shown);
   d = load_temporary(c->file, shown);
   add_loaded(job, d, shown);
   dcfg_free(d);
   free_file_names(&c->names);
}

/* Divide the files among at most N child processes, and add their sums. */
static void merge_with_children(Job* job, const FileNames* names, uint32_t n)
{
   FileNames* lists = zalloc(n, sizeof(*lists));
   Child*     children = zalloc(n, sizeof(*children));

   n = divide_files(names, n, lists);
   for (uint32_t i = 0; i < n; i++) {
      children[i].names = lists[i];
      start_child(job, &children[i]);
   }
   for (uint32_t i = 0; i < n; i++)
      add_child(job, &children[i]);
   FREE_ALL(lists, children);
}

/*--- The command line                                     ---*/

static int merge(Job* job, FileNames* names, uint64_t jobs)
{
   int status;

   job->names = interned_new();
   if (names->n == 0 && !job->partial)
      die("there is no file to merge");
   if (jobs > 1 && names->n > 1) {
      find_stems(names, is_part_of_run);
      merge_with_children(job, names,
                          jobs > names->n ? names->n : (uint32_t)jobs);
      free_file_names(names);
   }
   add_files(job, names);
   status = say_left_out(&job->left_out);
   if (status != STATUS_OK && job->left_out.n_files == 0)
      die("no file is left");
   finish_sums(job);
   if (!job->partial && (job->n == 0 || job->all[0].n_runs == 0))
      die("there is no run in these files");
   write_sums(job, open_result(job->out));
   close_results();
   free_job(job);
   free_file_names(names);
   return status;
}

/* Write the sum of files in place.  Threads are added up, because there may be
   thousands of runs; a file has other builds of an image, because only the
   program's build is in its name. */
static int sum_up(const char* const* files, uint32_t n, const char* out)
{
   Job       job = { .partial = true, .apart = true, .in_place = true,
                     .out = out };
   FileNames names = { 0 };

   for (uint32_t i = 0; i < n; i++)
      add_file_name(&names, files[i]);
   return merge(&job, &names, 1);
}

static int add_in_place(const char** files, int n)
{
   bool good = true;

   for (int i = 0; i < n; i++)
      good = merge_in_place(files[i], sum_up) && good;
   free(files);
   return good ? STATUS_OK : STATUS_BAD;
}

static int run(int argc, char** argv)
{
   const char*  threads = "keep";
   const char*  builds = "one";
   const char*  list = NULL;
   const char** files = zalloc((size_t)argc, sizeof(*files));
   FileNames    names = { 0 };
   uint64_t     jobs = 1;
   bool         nul_ended = false;
   Job          job = { 0 };
   const Opt    opts[] = {
      { "o", OPT_TEXT, &job.out, "FILE", "write there [the standard output]" },
      { "threads", OPT_TEXT, &threads, "keep|add",
        "keep: threads of all runs side by side, in the order of process ids; "
        "add: thread 0 of all runs is thread 0, and so on; then a thread has "
        "as many ENTRY and EXIT edges as runs [keep]" },
      { "processes", OPT_FLAG, &job.processes, NULL,
        "add nothing up: each run becomes a process of one file" },
      { "partial", OPT_FLAG, &job.partial, NULL,
        "write a sum for further merges, which give the bytes of one merge in "
        "any order and grouping; the parts of a run must meet in the first "
        "one" },
      { "j", OPT_COUNT, &jobs, "N", "merge with N processes [1]" },
      { "files-from", OPT_TEXT, &list, "FILE",
        "also merge the files that FILE names, one a line; -: the standard "
        "input" },
      { "0", OPT_FLAG, &nul_ended, NULL,
        "names in the FILE of --files-from end with NUL, as find -print0 "
        "writes them" },
      { "in-place", OPT_FLAG, &job.in_place, NULL,
        "add the runs that wait in FILE.runs to FILE, as valgrind --tool=dcfg "
        "--dcfg-out-file=FILE with %m does at the end of each run" },
      { "keep-going", OPT_FLAG, &job.keep_going, NULL,
        "leave out files that cannot be read, name them, and exit with 3" },
      { "builds", OPT_TEXT, &builds, "one|apart",
        "apart: other builds of an image, by their build ids, become images of "
        "their own; one: they are an error [one]" },
      { "root", OPT_TEXT, &job.root, "DIR",
        "look for images below DIR: their code tells where instructions begin "
        "in blocks that only some runs divide" }
   };
   const char*  keep = threads;
   int          n = parse_args(&merge_command, OPTS(opts), argc, argv, files,
                               0, argc);
   int          status;

   if (strcmp(threads, "add") != 0 && strcmp(threads, "keep") != 0)
      die("--threads is add or keep, not `%s'", threads);
   if (strcmp(builds, "one") != 0 && strcmp(builds, "apart") != 0)
      die("--builds is one or apart, not `%s'", builds);
   if (job.in_place && (argc - 2 != n))
      die("--in-place has no other option");
   if (threads != keep && job.processes)
      die("--threads or --processes, not both");
   if (job.processes && (job.partial || jobs > 1))
      die("%s or --processes, not both", job.partial ? "--partial" : "-j");
   if (jobs == 0 || jobs > 4096)
      die("-j is 1 to 4,096 processes, not %" PRIu64, jobs);
   if (n == 0 && list == NULL)
      die("a file is missing; usage: dcfg %s %s", merge_command.name,
          merge_command.args);
   if (nul_ended && list == NULL)
      die("-0 needs --files-from=FILE");
   if (job.in_place)
      return add_in_place(files, n);
   for (int i = 0; i < n; i++)
      add_file_name(&names, files[i]);
   if (list != NULL)
      read_file_names(&names, list, nul_ended);
   add_file_name(&names, list != NULL ? list : "");
   only_one_input(names.all, names.n--);
   job.keep = strcmp(threads, "keep") == 0;
   job.apart = strcmp(builds, "apart") == 0;
   /* Large blocks get mappings of their own, and go back to the system with the
      file.  In the heap they would remain as holes among the blocks of the
      result. */
   mallopt(M_MMAP_THRESHOLD, BIG_BLOCK);
   status = merge(&job, &names, jobs);
   free(files);
   return status;
}

const Command merge_command = {
   "merge", "FILE...", "several runs as one, or as processes of one file",
   "Writes the sum of several runs of a program as one DCFG: of other\n"
   "inputs, of forked children, of shards of a test.  Images may have been\n"
   "loaded anywhere, and the order of the files makes no difference.  Parts\n"
   "of one run become that run first, as if it had not been cut.\n"
   "\n"
   "Images are the same if their names are, and code is the same at the same\n"
   "offset of an image.  If any run divides a block, the sum has both parts.\n"
   "Routines, dominators and loops are those of the sum.\n",
   "\n"
   "Other builds of an image cannot be merged, but for --builds=apart.\n"
   "\n"
   "examples:\n"
   "  dcfg merge -o all.json dcfg.out.*.json\n"
   "  dcfg merge --processes -o job.json 0.json 1.json 2.json 3.json\n"
   "  find . -name '*.json' -print0 | dcfg merge -j 4 --files-from=- -0 -o a.json\n"
   "  dcfg merge --partial --files-from=list-$I -o part-$I.json\n"
   "  dcfg merge --in-place cov.*.json\n",
   run
};
