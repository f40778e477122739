/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg report. */

/* Owns: the subcommand report: what is hottest.  Handed: a command line.
   Taken by: commands.c. */

#include "cmd/commands.h"
#include "cmd/base/operands.h"
#include "cmd/report/report_views.h"
#include "cmd/base/select.h"
#include "cmd/base/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What print_title() calls the others. */
static const char* const section_titles[N_SECTIONS] = {
   [BRANCHES] = "conditional branches",
   [INDIRECT] = "indirect jumps and calls",
   [CALLERS] = "callers", [CALLEES] = "callees",
   [FUNCTIONS] = "functions, with what they called",
   [TRIPS] = "loops, by iterations of each entry"
};

typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      Form               form;
      uint32_t           thread;        // or DCFG_ALL_THREADS
      uint64_t           top;           // 0: all
      Selection*         selected;
      Sorting            sorting;
      const char*        trace;         // or NULL
      const char*        routine;       // of callers and callees
      uint64_t           total;         // instructions, of all images
      size_t             name_width, source_width;
   }
   Report;

static Table* make_table(const Report* r, Section s, uint32_t* n)
{
   static const ViewFn views[] = {
      [BRANCHES] = branches_table, [INDIRECT] = indirect_table,
      [CALLERS] = callers_table, [CALLEES] = callees_table,
      [FUNCTIONS] = inclusive_table, [TRIPS] = trips_table
   };
   View v = { &r->g, r->selected, r->thread, r->top, r->total, r->form,
              r->sorting, r->name_width, r->source_width, r->trace,
              r->routine };

   return s < N_USUAL ? usual_table(&v, s, n) : views[s](&v, n);
}

/*--- The whole                                            ---*/

static void print_title(Section s, uint32_t n, size_t shown)
{
   const char* many = s < N_USUAL ? section_names[s] : section_titles[s];

   if (n == 0)
      printf("\nNo %s.\n", many);
   else if (shown < n)
      printf("\nHottest %zu of %s %s%s\n", shown, text_count(n), many,
             s == LOOPS ? " (with the loops inside)" : "");
   else
      printf("\n%c%s%s\n", many[0] - 'a' + 'A', many + 1,
             s == LOOPS ? " (with the loops inside)" : "");
}

static const char* plural(uint32_t n, const char* one)
{
   return text_format("%s %s%s", text_count(n), one, n == 1 ? "" : "s");
}

static void print_totals(const Report* r)
{
   const DcfgProcess* p = r->p;

   printf("%s, process %" PRIu64 "\n", program_name(&r->g), p->id);
   printf("%s instructions", text_count(r->total));
   if (r->thread != DCFG_ALL_THREADS)
      printf(" in thread %" PRIu32 " of %" PRIu32, r->thread, p->n_threads);
   else
      printf(" in %s", plural(p->n_threads, "thread"));
   printf("; %s, %s, %s, %s, %s\n", plural(p->n_images, "image"),
          plural(p->n_routines, "routine"), plural(p->n_loops, "loop"),
          plural(p->n_blocks, "block"), plural(p->n_edges, "edge"));
   if (r->thread == DCFG_ALL_THREADS && p->n_threads > 1) {
      uint32_t most = r->top == 0 || r->top > p->n_threads ? p->n_threads
                      : (uint32_t)r->top;
      Table*   t = tab_new("threads");
      puts("\nThreads");
      tab_column(t, COL_COUNT, "thread", "thread", 0);
      tab_column(t, COL_SHARE, "share", "share", 0);
      tab_column(t, COL_COUNT, "instructions", "instructions", 0);
      for (uint32_t i = 0; i < most; i++) {
         put_count(t, i);
         put_share(t, dcfg_process_instrs(p, i), r->total);
         put_count(t, dcfg_process_instrs(p, i));
      }
      tab_print(t, FORM_TEXT, 0);
      tab_free(t);
   }
}

static void print_process_json(const Report* r, const bool* sections)
{
   const DcfgProcess* p = r->p;

   printf("    { \"process_id\": %" PRIu64 ",\n      \"program\": ", p->id);
   print_json_string(program_name(&r->g));
   printf(",\n      \"thread\": ");
   if (r->thread == DCFG_ALL_THREADS)
      printf("null");
   else
      printf("%" PRIu32, r->thread);
   printf(",\n      \"instructions\": %" PRIu64
          ",\n      \"instructions_per_thread\": [", r->total);
   for (uint32_t i = 0; i < p->n_threads; i++)
      printf("%s%" PRIu64, i > 0 ? ", " : "", dcfg_process_instrs(p, i));
   printf("],\n      \"n_images\": %" PRIu32 ", \"n_routines\": %" PRIu32
          ", \"n_loops\": %" PRIu32 ", \"n_blocks\": %" PRIu32
          ", \"n_edges\": %" PRIu32, p->n_images, p->n_routines, p->n_loops,
          p->n_blocks, p->n_edges);
   for (Section s = 0; s < N_SECTIONS; s++) {
      uint32_t n;
      Table*   t;
      if (!sections[s])
         continue;
      t = make_table(r, s, &n);
      printf(",\n      \"%s\": ", section_names[s]);
      tab_print(t, FORM_JSON, 6);
      tab_free(t);
   }
   printf(" }");
}

static void print_process(const Report* r, const bool* sections)
{
   static const Section order[N_SECTIONS] = {
      IMAGES, FUNCTIONS, LOOPS, TRIPS, ROUTINES, CALLERS, CALLEES, BLOCKS,
      BRANCHES, INDIRECT, EDGES
   };
   bool                 first = true;

   if (r->form == FORM_JSON) {
      print_process_json(r, sections);
      return;
   }
   if (r->form == FORM_TEXT)
      print_totals(r);
   for (size_t i = 0; i < N_SECTIONS; i++) {
      uint32_t n;
      Table*   t;
      if (!sections[order[i]])
         continue;
      t = make_table(r, order[i], &n);
      if (r->form == FORM_TEXT)
         print_title(order[i], n, tab_rows(t));
      else if (!first)
         putchar('\n');
      if (n > 0 || r->form != FORM_TEXT)
         tab_print(t, r->form, 0);
      first = false;
      tab_free(t);
      text_forget();
   }
}

/* What is meant of each process; some has to have it. */
static Selection** select_all(Report* r, const Select* what)
{
   Selection** all = zalloc(r->g.d->n_processes, sizeof(*all));
   bool        any = false;

   for (uint32_t i = 0; i < r->g.d->n_processes; i++) {
      r->g.p = dcfg_process(r->g.d, i);
      all[i] = selection_new(&r->g, what);
      any = any || is_found(all[i]);
      text_forget();
   }
   if (!any)
      exit(STATUS_BAD);
   return all;
}

static Sorting sorting_named(const char* name)
{
   static const char* const names[] = {
      "instructions", "count", "name", "address"
   };

   for (Sorting i = 0; i < sizeof(names) / sizeof(names[0]); i++)
      if (strcmp(name, names[i]) == 0)
         return i;
   die("--sort is instructions, count, name or address, not `%s'", name);
}

/* Which sections there are, and what they need. */
static void choose_sections(Report* r, bool* sections, const char* callers,
                            const char* callees)
{
   bool any = false;

   if (callers != NULL && callees != NULL)
      die("--callers or --callees, not both");
   sections[CALLERS] = callers != NULL;
   sections[CALLEES] = callees != NULL;
   r->routine = callers != NULL ? callers : callees;
   if ((sections[FUNCTIONS] || sections[TRIPS]) && r->trace == NULL)
      die("--%s needs a trace behind the DCFG: it is written with --trace=yes",
          sections[FUNCTIONS] ? "inclusive" : "trips");
   for (int i = 0; i < N_SECTIONS; i++)
      any = any || sections[i];
   for (int i = 0; !any && i < N_USUAL; i++)
      sections[i] = true;
}

static void report_all(Report* r, const Select* what, const bool* sections)
{
   Selection** all = select_all(r, what);

   if (r->form == FORM_JSON)
      printf("{ \"processes\": [\n");
   for (uint32_t i = 0; i < r->g.d->n_processes; i++) {
      r->p = r->g.p = dcfg_process(r->g.d, i);
      if (i > 0)
         fputs(r->form == FORM_JSON ? ",\n" : "\n", stdout);
      r->selected = all[i];
      r->total = dcfg_process_instrs(r->p, r->thread);
      print_process(r, sections);
      selection_free(all[i]);
      text_forget();
   }
   free(all);
   if (r->form == FORM_JSON)
      printf("\n] }\n");
}

static int run(int argc, char** argv)
{
   Select      what = SELECT_ALL;
   bool        sections[N_SECTIONS] = { false }, csv = false, json = false;
   bool        wide = false;
   const char* sort = "instructions";
   const char* callers = NULL;
   const char* callees = NULL;
   Report      r = { .top = 10 };
   const Opt   opts[] = {
      { "loops", OPT_FLAG, &sections[LOOPS] },
      { "routines", OPT_FLAG, &sections[ROUTINES] },
      { "blocks", OPT_FLAG, &sections[BLOCKS] },
      { "edges", OPT_FLAG, &sections[EDGES] },
      { "images", OPT_FLAG, &sections[IMAGES] },
      { "branches", OPT_FLAG, &sections[BRANCHES] },
      { "indirect", OPT_FLAG, &sections[INDIRECT] },
      { "callers", OPT_TEXT, &callers }, { "callees", OPT_TEXT, &callees },
      { "inclusive", OPT_FLAG, &sections[FUNCTIONS] },
      { "trips", OPT_FLAG, &sections[TRIPS] }, { "sort", OPT_TEXT, &sort },
      { "top", OPT_COUNT, &r.top }, SELECT_OPTIONS(&what),
      { "csv", OPT_FLAG, &csv },
      { "json", OPT_FLAG, &json }, { "wide", OPT_FLAG, &wide },
      { "mangled", OPT_FLAG, &r.g.mangled }
   };
   const char* files[2] = { NULL, NULL };
   int         n_files;
   Dcfg*       d;

   n_files = parse_args(&report_command, opts, sizeof(opts) / sizeof(opts[0]),
                        argc, argv, files, 0, 2);
   if (n_files == 0)
      default_files(&report_command, files,
                    sections[FUNCTIONS] || sections[TRIPS]);
   if (csv && json)
      die("--csv or --json, not both");
   if (n_files == 2 && strcmp(files[0], "-") == 0
       && strcmp(files[1], "-") == 0)
      die("only one of the files can be the standard input");
   r.form = csv ? FORM_CSV : json ? FORM_JSON : FORM_TEXT;
   r.name_width = wide ? 0 : 40;
   r.source_width = wide ? 0 : 28;
   r.sorting = sorting_named(sort);
   r.trace = files[1];
   choose_sections(&r, sections, callers, callees);
   d = load_dcfg(files[0]);
   if (d->n_processes == 0)
      die("there is no process in %s", files[0]);
   r.g.d = d;
   r.thread = need_thread(d, what.thread);
   report_all(&r, &what, sections);
   dcfg_free(d);
   return STATUS_OK;
}

const Command report_command = {
   "report", "[FILE [TRACE]]", "where the time goes: loops, routines, blocks, edges",
   "Prints what a DCFG says about a run: totals, and the hottest images,\n"
   "loops, routines, basic blocks and edges, by instructions executed.\n"
   "\n"
   "  share         of all instructions of the process (or of the thread)\n"
   "  entries       how often a loop was entered from outside\n"
   "  iterations    executions of its head; per entry: how long it ran\n"
   "  depth         1 for an outermost loop; its numbers have those inside\n"
   "  calls         of a routine, also through linkage tables and by tail\n"
   "                calls; its instructions are its own, without those of\n"
   "                routines that it called; per entry: however it was entered\n"
   "  from, to      NAME+0x12 is 0x12 bytes behind the function's beginning;\n"
   "                without symbols the name is the image's\n"
   "\n"
   "options:\n"
   "  --loops --routines --blocks --edges --images\n"
   "                     only these sections; all without any of them\n"
   "  --branches         conditional branches: how often they were taken, and\n"
   "                     how often they went the more frequent way\n"
   "  --indirect         where indirect jumps and calls went\n"
   "  --callers=WHAT, --callees=WHAT\n"
   "                     who called a routine, and what it called\n"
   "  --inclusive        functions of the source with all that they called;\n"
   "                     this and the next one need TRACE\n"
   "  --trips            of loops, how many iterations each entry had\n"
   "  --sort=ORDER       of the first five sections: instructions, count (of\n"
   "                     iterations, entries, executions), name, address\n"
   "  --top=N            N rows in a section; 0: all [10]\n"
   SELECT_HELP
   "  --thread=N         what thread N did, counted from 0\n"
   "  --wide             long names in full\n"
   "  --mangled          names of C++ and Rust as the linker sees them\n"
   "  --csv, --json      for programs: plain numbers, and ids of the nodes\n"
   "\n"
   "examples:\n"
   "  dcfg report --loops --top=20 out.json\n"
   "  dcfg report --routines --image=libc out.json\n"
   "  dcfg report --json --blocks --top=0 out.json | jq .processes[].blocks\n",
   run, NULL
};
