/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg report. */

/* Owns: the subcommand report: its command line, the choice of sections, and
   the order of their output.  Handed: a command line. */

#include "cmd/commands.h"
#include "cmd/base/operands.h"
#include "cmd/base/names.h"
#include "cmd/report/report_views.h"
#include "cmd/base/select.h"
#include "cmd/base/table.h"

#define ADDRESS_OF_SECTION(name) &report_section_##name,
static const ReportSection* const sections[] = {
   REPORT_SECTIONS(ADDRESS_OF_SECTION)
};
#define N_SECTIONS (sizeof(sections) / sizeof(sections[0]))

typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      Form               form;
      uint32_t           thread;        // or DCFG_ALL_THREADS
      uint64_t           top;           // rows; 0: all
      bool               first;         // the first screen: no section was
                                        // asked for
      bool               few;           // with its own number of rows
      const char*        root;          // images' files are below it; or NULL
      Selection*         selected;
      Selection*         all;           // for sections of all images
      bool               front;         // the program is a front for a library
      bool               own;           // .selected is the program's own code
      Sorting            sorting;
      const char*        trace;         // path, or NULL
      const char*        routine_name;  // argument of --callers or --callees,
                                        // or NULL
      uint32_t           routine;       // the routine of that name in .p
      const char*        what;          // the wanted section's argument, if it
                                        // has one
      InlineView*        inlined;       // with --inline; or NULL
      uint64_t           total;         // instructions of all images
      size_t             name_width, source_width;
   }
   Report;

/* Columns of the first screen, if output is no terminal. */
#define SCREEN_WIDTH 80

static Table* make_table(const Report* r, const ReportSection* s, uint32_t* n)
{
   View v = { s, &r->g, s->of_all ? r->all : r->selected, r->thread,
              r->few ? s->first_rows : r->top,
              r->total, r->form, r->sorting, r->name_width, r->source_width,
              r->trace, r->routine, r->routine_name, r->what, r->inlined,
              r->root, r->first && r->name_width > 0 };
   Table* t = s->make(&v, n);

   if (v.first)
      tab_fit(t, SCREEN_WIDTH);
   return t;
}

/*--- The whole                                            ---*/

/* Threads in a line of the first screen. */
#define MOST_THREADS 6

static void print_title(const Report* r, const ReportSection* s, uint32_t n,
                        size_t shown)
{
   if (n == 0 && s->none != NULL && r->p->n_blocks > 0)
      printf("\n%s\n", s->none);
   else if (n == 0)
      printf("\nNo %s.\n", s->title);
   else if (shown < n)
      printf("\nHottest %zu of %s %s%s\n", shown, text_count(n), s->title,
             s->remark);
   else
      printf("\n%c%s%s\n", s->title[0] - 'a' + 'A', s->title + 1, s->remark);
}

static const char* plural(uint32_t n, const char* one)
{
   return text_format("%s %s%s", text_count(n), one, n == 1 ? "" : "s");
}

/* Print which run it was, if that is recorded. */
static void print_run(const Report* r)
{
   const char* const lines[] = { run_command(r->p),
                                 run_surroundings(r->p->runs) };

   for (int i = 0; i < 2; i++)
      if (lines[i] != NULL)
         puts(r->name_width == 0 ? lines[i] : i == 0 ? text_fit(lines[i], 80)
              : text_cut(lines[i], 80));
}

static void print_run_json(const DcfgProcess* p)
{
   const DcfgRun*    run = p->runs;
   const char* const names[] = { "command_line", "working_dir", "start",
                                 "tool_version", "processor",
                                 "deterministic", "conditions" };

   if (p->n_recorded == 0) {
      printf(",\n      \"run\": null");
      return;
   }
   const char* const texts[] = { run->command_line, run->working_dir,
                                 run->start, run->tool_version,
                                 run->processor, run->deterministic,
                                 run->conditions };
   printf(",\n      \"run\": { \"runs\": %" PRIu64 ", \"parent_id\": %" PRIu64,
          p->n_runs, run->parent);
   for (int i = 0; i < 7; i++) {
      printf(", \"%s\": ", names[i]);
      put_json_string(texts[i], stdout);
   }
   printf(" }");
}

/* Print what each thread did: a table, or a line of the first screen. */
static void print_threads(const Report* r)
{
   const DcfgProcess* p = r->p;
   uint32_t           most = r->top == 0 || r->top > p->n_threads
                             ? p->n_threads : (uint32_t)r->top;
   Table*             t;

   if (r->first) {
      most = most > MOST_THREADS ? MOST_THREADS : most;
      fputs("threads:", stdout);
      for (uint32_t i = 0; i < most; i++)
         printf("%s %" PRIu32 " %s", i > 0 ? "," : "", i,
                text_share(dcfg_process_instrs(p, i), r->total));
      puts(most < p->n_threads
           ? text_format(", %s more", text_count(p->n_threads - most)) : "");
      return;
   }
   t = tab_new("threads");
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

static void print_totals(const Report* r)
{
   const DcfgProcess* p = r->p;

   printf("%s, process %" PRIu64 "\n", program_name(&r->g), p->id);
   print_run(r);
   printf("%s instructions", text_count(r->total));
   if (r->thread != DCFG_ALL_THREADS)
      printf(" in thread %" PRIu32 " of %" PRIu32, r->thread, p->n_threads);
   else
      printf(" in %s", plural(p->n_threads, "thread"));
   if (r->first)
      putchar('\n');
   else
      printf("; %s, %s, %s, %s, %s\n", plural(p->n_images, "image"),
             plural(p->n_routines, "routine"), plural(p->n_loops, "loop"),
             plural(p->n_blocks, "block"), plural(p->n_edges, "edge"));
   if (r->thread == DCFG_ALL_THREADS && p->n_threads > 1)
      print_threads(r);
}

static void print_process_json(const Report* r, const bool* wanted)
{
   const DcfgProcess* p = r->p;

   printf("    { \"process_id\": %" PRIu64 ",\n      \"program\": ", p->id);
   put_json_string(program_name(&r->g), stdout);
   print_run_json(p);
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
   for (size_t i = 0; i < N_SECTIONS; i++) {
      uint32_t n;
      Table*   t;
      if (!wanted[i])
         continue;
      t = make_table(r, sections[i], &n);
      printf(",\n      \"%s\": ", sections[i]->name);
      tab_print(t, FORM_JSON, 6);
      tab_free(t);
   }
   printf(" }");
}

/* Return the wanted section that follows BEFORE in the text; the first one if
   BEFORE is NULL.  Return NULL if there is none. */
static const ReportSection* next_section(const bool* wanted,
                                         const ReportSection* before)
{
   const ReportSection* next = NULL;

   for (size_t i = 0; i < N_SECTIONS; i++)
      if (wanted[i] && (before == NULL || sections[i]->place > before->place)
          && (next == NULL || sections[i]->place < next->place))
         next = sections[i];
   return next;
}

static void print_process(const Report* r, const bool* wanted)
{
   const ReportSection* s = next_section(wanted, NULL);
   bool                 first = true, rest = false;
   const char*          line;

   if (r->form == FORM_JSON) {
      print_process_json(r, wanted);
      return;
   }
   if (r->form == FORM_TEXT)
      print_totals(r);
   for (; s != NULL; s = next_section(wanted, s)) {
      uint32_t n;
      Table*   t = make_table(r, s, &n);
      if (r->form == FORM_TEXT)
         print_title(r, s, n, tab_rows(t));
      else if (!first)
         putchar('\n');
      if (n > 0 || r->form != FORM_TEXT)
         tab_print(t, r->form, 0);
      if (r->form == FORM_TEXT && n > 0 && s->hint != NULL
          && (line = s->hint(&r->g)) != NULL)
         printf("\n%s\n", line);
      first = false;
      rest  = rest || !s->of_all;
      tab_free(t);
      text_forget();
   }
   if (r->form == FORM_TEXT && r->own && rest
       && (line = rest_text(&r->g, r->thread)) != NULL)
      printf("\n%s\n", line);
   if (r->front)
      printf("\nMost ran in a library, so all is shown; --image=main "
             "shows %s alone\n", text_base(program_name(&r->g)));
}

/* Meant: a process and what the options select of it. */
typedef
   struct {
      Selection*  selected;
      InlineView* inlined;      // or NULL
      uint32_t    routine;      // argument of --callers or --callees, or
                                // DCFG_NONE
   }
   Meant;

/* Read inlined functions for --inline, of the selected images only. */
static InlineView* inlined_of(const Program* g, const Select* what,
                              Selection* selected, const char* root)
{
   InlineView* v = inline_view_new(g, what, selected, root);

   for (uint32_t i = 0; i < g->p->n_images; i++)
      if (!image_selected(selected, i))
         inlined_leave_out(v->in, i);
   return v;
}

static const char* without_wildcards(const char* pattern)
{
   char* word = text_copy(pattern);
   char* end = word;

   for (const char* c = pattern; *c != 0; c++)
      if (strchr("*?[]", *c) == NULL)
         *end++ = *c;
   *end = 0;
   return word;
}

/* Apply the options to each process.  Die if nothing is selected in any of
   them, if one of them does not have the routine, or none has a function that
   fits its pattern. */
static Meant* select_all(Report* r, const Select* what)
{
   const bool is_pattern = r->routine_name != NULL
                           && strpbrk(r->routine_name, "*?[") != NULL;
   bool       fits = !is_pattern;
   Meant* all = zalloc(r->g.d->n_processes, sizeof(*all));
   bool   any = false, has = r->what[0] == 0;

   for (uint32_t i = 0; i < r->g.d->n_processes; i++) {
      r->g.p = dcfg_process(r->g.d, i);
      all[i].selected = selection_new(&r->g, what);
      if (what->inlined)
         all[i].inlined = inlined_of(&r->g, what, all[i].selected, r->root);
      has = has || inline_view_has(all[i].inlined, &r->g, all[i].selected,
                                   r->what);
      fits = fits || calls_know(&r->g, r->routine_name);
      all[i].routine = r->routine_name == NULL || is_pattern
                       ? DCFG_NONE : the_routine(&r->g, r->routine_name);
      any = any || is_found(all[i].selected);
      text_forget();
   }
   if (!any)
      exit(STATUS_BAD);
   if (!fits)
      die("no function that ran fits `%s'; dcfg report --functions --top=0 lists "
          "all%s", r->routine_name,
          nearest_functions(&r->g, without_wildcards(r->routine_name)));
   if (!has)
      die("no function `%s' was inlined into what is selected; report --inline "
          "lists those that were", r->what);
   return all;
}

static Sorting sorting_named(const char* name)
{
   static const char* const names[] = {
      "instructions", "count", "name", "address"
   };

   Nearest n = nearest_to(name);

   for (Sorting i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
      if (strcmp(name, names[i]) == 0)
         return i;
      nearest_offer(&n, names[i]);
   }
   die("--sort is instructions, count, name or address, not `%s'%s", name,
       nearest_text(&n));
}

/* Asked: the options that ask for sections. */
typedef
   struct {
      bool        flags[N_SECTIONS];
      const char* texts[N_SECTIONS];
   }
   Asked;

static bool is_asked(const Asked* a, size_t i)
{
   return a->flags[i] || a->texts[i] != NULL;
}

/* Return whether no process of D has what sections of A need in place of a
   trace. */
static bool lacks_calls(const Asked* a, const Dcfg* d)
{
   bool needed = false;

   for (size_t i = 0; i < N_SECTIONS; i++)
      needed = needed || (is_asked(a, i) && sections[i]->needs_calls);
   for (uint32_t i = 0; i < d->n_processes; i++)
      needed = needed && dcfg_process(d, i)->calls == NULL;
   return needed;
}

static bool needs_trace(const Asked* a)
{
   for (size_t i = 0; i < N_SECTIONS; i++)
      if (is_asked(a, i) && sections[i]->needs_trace)
         return true;
   return false;
}

/* Return whether inlined functions are asked for.  If another wanted section
   has them, drop the section of --inline. */
static bool has_inlined(const Asked* a, bool* wanted)
{
   bool in_others = false;

   for (size_t i = 0; i < N_SECTIONS; i++)
      if (wanted[i] && sections[i] != &report_section_inline
          && sections[i]->inlines)
         in_others = true;
   for (size_t i = 0; i < N_SECTIONS; i++)
      if (sections[i] == &report_section_inline) {
         wanted[i] = wanted[i] && !in_others;
         if (a->flags[i])
            return true;
      } else if (sections[i] == &report_section_sites && wanted[i]) {
         return true;
      }
   return false;
}

/* Choose the sections and check that they have what they need. */
static void choose_sections(Report* r, const Asked* a, bool* wanted)
{
   const ReportSection* of = NULL;      // the section that needs a routine
   bool                 any = false;

   for (size_t i = 0; i < N_SECTIONS; i++) {
      const ReportSection* s = sections[i];
      wanted[i] = is_asked(a, i);
      any       = any || wanted[i];
      if (a->texts[i] == NULL)
         continue;
      if (s->option.kind == OPT_TEXT_OR_NOT) {
         r->what = a->texts[i];
         continue;
      }
      if (of != NULL)
         die("--%s or --%s, not both", of->option.name, s->option.name);
      of         = s;
      r->routine_name = a->texts[i];
   }
   for (size_t i = 0; i < N_SECTIONS; i++)
      if (wanted[i] && sections[i]->needs_trace && r->trace == NULL)
         die("--%s needs a trace behind the DCFG: it is written with "
             "--trace=yes", sections[i]->option.name);
   r->first = !any && r->form == FORM_TEXT;
   for (size_t i = 0; !any && i < N_SECTIONS; i++)
      wanted[i] = r->first ? sections[i]->first_rows > 0 : sections[i]->is_usual;
   r->few = r->first && r->top == NOT_GIVEN;
   r->top = r->top == NOT_GIVEN ? 10 : r->top;
}

static void report_all(Report* r, const Select* what, const bool* wanted)
{
   Meant* all = select_all(r, what);
   Select everything = SELECT_ALL;

   everything.thread = what->thread;
   if (r->form == FORM_JSON)
      printf("{ \"processes\": [\n");
   for (uint32_t i = 0; i < r->g.d->n_processes; i++) {
      r->p = r->g.p = dcfg_process(r->g.d, i);
      if (i > 0)
         fputs(r->form == FORM_JSON ? ",\n" : "\n", stdout);
      r->selected = all[i].selected;
      r->inlined = all[i].inlined;
      r->routine = all[i].routine;
      r->own = what->own;
      r->all = what->own ? selection_new(&r->g, &everything) : r->selected;
      r->total = dcfg_process_instrs(r->p, r->thread);
      print_process(r, wanted);
      if (what->own)
         selection_free(r->all);
      inline_view_free(r->inlined);
      selection_free(r->selected);
      text_forget();
   }
   free(all);
   if (r->form == FORM_JSON)
      printf("\n] }\n");
}

static int run(int argc, char** argv)
{
   Select      what = SELECT_ALL;
   Asked       asked = { 0 };
   bool        wanted[N_SECTIONS], csv = false, json = false, wide = false;
   bool        all = false;
   const char* sort = "instructions";
   Report      r = { .top = NOT_GIVEN, .what = "" };
   const Opt   others[] = {
      { "sort", OPT_TEXT, &sort, "instructions|count|name|address",
        "the order of images, loops, routines, blocks, edges; count: by iterations, calls or "
        "executions" },
      OPT_TOP(&r.top), SELECT_OPTIONS(&what), SELECT_EVERYTHING(&all),
      OPT_WIDE(&wide), OPT_MANGLED(&r.g.mangled), OPT_ROOT(&r.root),
      OPT_CSV_JSON(&csv, &json,
                   "output for programs: plain numbers, and ids of nodes")
   };
   Opt         opts[N_SECTIONS + sizeof(others) / sizeof(others[0])];
   const char* files[2] = { NULL, NULL };
   int         n_files;
   Dcfg*       d;

   for (size_t i = 0; i < N_SECTIONS; i++) {
      opts[i]    = sections[i]->option;
      opts[i].to = opts[i].kind == OPT_FLAG ? (void*)&asked.flags[i]
                   : (void*)&asked.texts[i];
   }
   memcpy(opts + N_SECTIONS, others, sizeof(others));
   n_files = parse_args(&report_command, OPTS(opts), argc, argv, files, 0, 2);
   if (n_files == 0)
      default_files(&report_command, files, needs_trace(&asked));
   only_one_input(files, (uint32_t)n_files);
   r.form = table_form(csv, json);
   r.name_width = wide ? 0 : 40;
   r.source_width = wide ? 0 : 28;
   r.sorting = sorting_named(sort);
   r.trace = files[1];
   select_own(&what, all || r.form != FORM_TEXT);
   choose_sections(&r, &asked, wanted);
   what.inlined = has_inlined(&asked, wanted);
   d = load_dcfg(files[0]);
   if (d->n_processes == 0)
      die("there is no process in %s", files[0]);
   if (n_files == 0 && r.trace == NULL && lacks_calls(&asked, d)) {
      default_files(&report_command, files, true);
      r.trace = files[1];
   }
   r.g.d = d;
   r.thread = need_thread(d, what.thread);
   r.g.p   = main_process(d);
   r.front = what.own && main_library(&r.g, r.thread) != DCFG_NONE;
   select_own(&what, all || r.front || r.form != FORM_TEXT);
   report_all(&r, &what, wanted);
   dcfg_free(d);
   return STATUS_OK;
}

const Command report_command = {
   "report", "[FILE [TRACE]]", "where the time goes: functions, lines, loops",
   "Prints what a DCFG says about a run: the functions, source lines and\n"
   "loops in which most instructions were executed, or the sections that\n"
   "options name.  Text shows the program, files beside it and code that it\n"
   "made.  --all adds libraries; if one of them executed more than half of all,\n"
   "text shows it without that, too.\n"
   "\n"
   "  self          instructions of a function, without what it called\n"
   "  times         how often control reached a line, as gcov counts it\n"
   "  share         the part of all instructions of the process (or thread)\n"
   "  entries       how often a loop was entered from outside\n"
   "  iterations    executions of a loop's head; per entry: for each entry\n"
   "  depth         1 for an outermost loop; numbers include the loops inside\n"
   "  calls         calls of a routine, also by linkage tables and tail\n"
   "                calls; its instructions do not include what it called\n"
   "  from, to      NAME+0x12 is 0x12 bytes behind the function's beginning;\n"
   "                without symbols the name is the image's\n",
   "\n"
   "examples:\n"
   "  dcfg report --loops --top=20 out.json\n"
   "  dcfg report --routines --image=libc out.json\n"
   "  dcfg report --json --blocks --top=0 out.json | jq .processes[].blocks\n",
   run
};
