/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg check. */

/* Owns: the subcommand check: options, the file's writer, the number of
   violations.  Handed: a command line. */

#include "cmd/commands.h"
#include "cmd/base/operands.h"
#include "cmd/check/check.h"

/* --- The file's writer                                    --- */

/* Return whether this tool wrote the file; the file does not say so.  This tool
   numbers edges by their place.  Intel's writer leaves them in the order of a
   hash table, so every second edge has a smaller id than the one before it.
   One or a few mistakes do not make a file look like that.

   So no option is needed for files of Intel's writer.  Their blocks and edges
   with count 0 are not violations.  This is sound: a file of this tool would be
   taken for another's only if a quarter of its edges were out of order; then
   --writer=valgrind is needed.  A small file of another writer that happens to
   be in order needs --writer=other. */
static bool looks_ours(const Dcfg* d)
{
   uint64_t n = 0, down = 0;

   for (uint32_t k = 0; k < d->n_processes; k++) {
      const DcfgProcess* p = dcfg_process(d, k);
      for (uint32_t i = 1; i < p->n_edges; i++) {
         n++;
         down += p->edges[i].id < p->edges[i - 1].id;
      }
   }
   return down * 4 <= n || down < 3;
}

static bool is_ours(const Dcfg* d, const char* writer)
{
   if (strcmp(writer, "valgrind") == 0)
      return true;
   if (strcmp(writer, "other") == 0)
      return false;
   if (strcmp(writer, "auto") != 0)
      die("--writer is auto, valgrind or other, not `%s'", writer);
   return looks_ours(d);
}

/*--- Checking                                             ---*/

/* Count problems that loading found. */
/* Return whether S has the form of "2026-01-31T12:34:56Z". */
static bool is_time(const char* s)
{
   static const char form[] = "0000-00-00T00:00:00Z";
   size_t            i = 0;

   while (form[i] != 0
          && (form[i] == '0' ? s[i] >= '0' && s[i] <= '9' : s[i] == form[i]))
      i++;
   return form[i] == 0 && s[i] == 0;
}

/* Check NUM_RUNS and the rows of RUN. */
static void check_runs(Check* check)
{
   const DcfgProcess* p = check->p;

   if (p->n_recorded > p->n_runs)
      broken(check->rules, "run", "RUN has %" PRIu32 " rows for %" PRIu64
             " run%s", p->n_recorded, p->n_runs, p->n_runs == 1 ? "" : "s");
   for (uint32_t i = 0; i < p->n_recorded; i++) {
      const char* start = p->runs[i].start;
      if (!is_time(start))
         broken(check->rules, "run", "row %" PRIu32 " of RUN has START `%s', "
                "where a time like 2026-01-31T12:34:56Z should be", i,
                text_clean(start));
      if (i > 0 && strcmp(p->runs[i - 1].start, start) > 0)
         broken(check->rules, "run", "row %" PRIu32 " of RUN started before "
                "the row above it", i);
   }
}

static void check_process(Check* check)
{
   if (check->p->id == 0)
      broken(check->rules, "process-id", "PROCESS_ID is 0");
   check_runs(check);
   check_images(check);
   check_edges(check);
   check_call_sums(check);
   if (!check_flow(check))
      return;
   check_places(check);
   check_routines(check);
}

static int run(int argc, char** argv)
{
   uint64_t    limit = 20;
   const char* writer = "auto";
   bool        disjoint = false;
   const Opt   opts[] = {
      OPT_LIMIT(&limit),
      { "writer", OPT_TEXT, &writer, "auto|valgrind|other",
        "valgrind: also check what valgrind --tool=dcfg always does where the "
        "format leaves a choice (routines, order of rows, complete traces), "
        "and that the file is one run; other: check the format alone, and only "
        "count edges and blocks with count 0, which Intel's programs write; "
        "auto: valgrind, or sums of dcfg merge, unless the edges have no "
        "order, as in Intel's files [auto]" },
      { "disjoint", OPT_FLAG, &disjoint, NULL,
        "also check that images do not overlap, for a program that never "
        "unloads a library" }
   };
   const char* args[2];
   int         n_args = parse_args(&check_command, OPTS(opts), argc, argv,
                                   args, 0, 2);
   Rules*      rules = rules_new(limit, stdout);
   DcfgOptions options = read_options(broken_in_file, rules);
   DcfgError   err;
   Dcfg*       d;
   Check       c = { .rules = rules, .disjoint = disjoint };
   uint64_t    n;
   bool        readable = true;

   is_ours(NULL, strcmp(writer, "auto") == 0 ? "other" : writer);
   if (n_args == 0)
      default_files(&check_command, args, false);
   d = read_dcfg(args[0], &options, &err);
   need_file(d != NULL, &err, KIND_GRAPH);
   c.g.d = d;
   c.ours = is_ours(d, writer);
   c.one_run = strcmp(writer, "valgrind") == 0;
   check_names(&c);
   for (uint32_t i = 0; i < d->n_processes; i++) {
      c.p = c.g.p = dcfg_process(d, i);
      check_process(&c);
   }
   if (c.idle_edges + c.idle_blocks > 0)
      complain("%s: %s edge%s and %s block%s have count 0, as Intel's writer "
               "leaves code that was not executed: no violations", args[0],
               text_count(c.idle_edges),
               c.idle_edges == 1 ? "" : "s", text_count(c.idle_blocks),
               c.idle_blocks == 1 ? "" : "s");
   if (n_args == 2)
      readable = check_trace(&c, args[1]);
   rules_finish(rules);
   n = rules_count(rules, NULL);
   if (d->n_processes == 0)
      complain("there is no process in %s", args[0]);
   /* A file that could not be read to its end has no number. */
   if (readable)
      printf("%s%s%s: %s violation%s%s\n", args[0],
             n_args == 2 ? ", " : "", n_args == 2 ? args[1] : "", text_count(n),
             n == 1 ? "" : "s", c.ours ? ""
             : " (another program's file: conventions of valgrind "
               "--tool=dcfg were not checked)");
   rules_free(rules);
   dcfg_free(d);
   return !readable ? STATUS_BAD : n > 0 ? STATUS_FOUND : STATUS_OK;
}

const Command check_command = {
   "check", "[FILE [TRACE]]", "does a file keep the rules of the format?",
   "Checks that a DCFG keeps the rules of format 1.00, and what readers of\n"
   "such files rely on.  With TRACE, also checks the trace: it can be\n"
   "decoded, it is a path through the graph, and it has as many edges and\n"
   "instructions as the DCFG says.\n"
   "\n"
   "Each violation is a line `RULE: WHAT AND WHERE'.  Nodes are named by\n"
   "NODE_ID and address.  The last line has the number of violations.\n",
   "\n"
   "exit status: 0 no violation, 1 violations, 2 a file cannot be read\n",
   run
};
