/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg xray. */

/* Owns: the subcommand xray.  Handed: a command line. */

#include "cmd/commands.h"
#include "cmd/base/operands.h"
#include "cmd/calls/xray_walk.h"
#include "cmd/xray/xray_views.h"

#define ADDRESS_OF_FORM(name) &xray_form_##name,
static const XrayForm* const forms[] = { XRAY_FORMS(ADDRESS_OF_FORM) };

#define CHOICE_OF_FORM(name) &xray_form_##name.choice,
static const OptionChoice* const choices[] = {
   XRAY_FORMS(CHOICE_OF_FORM) NULL
};

/* Source: a log and its map, opened. */
typedef
   struct {
      char*        map_path;    // or NULL
      DcfgXrayMap* map;         // or NULL
      DcfgXray*    log;
      XrayNames*   names;
      Rules*       rules;
   }
   Source;

/*--- Files                                                ---*/

static void on_problem(void* arg, const DcfgProblem* problem)
{
   broken(arg, problem->rule, "%s%s%s (byte %" PRIu64 ")",
          text_clean(problem->place), problem->place[0] != 0 ? ": " : "",
          text_clean(problem->what), problem->offset);
}

/* Open LOG.  MAP is the named map, or NULL. */
static Source open_source(const XrayShow* show, const char* log,
                          const char* map)
{
   Source      src = { 0 };
   DcfgOptions options;
   DcfgError   err;

   src.rules = rules_new(show->limit,
                         show->form == FORM_TEXT && !show->as->for_programs
                         ? stdout : stderr);
   src.map_path = map != NULL ? text_copy(map) : map_beside(log);
   if (src.map_path != NULL) {
      options = read_options(broken_in_file, src.rules);
      src.map = dcfg_xray_map_load(src.map_path, &options, &err);
      need_file(src.map != NULL, &err, KIND_MAP);
   }
   src.names = xray_names_new(src.map, show->mangled, &show->what);
   if (src.map == NULL
       && (show->what.image != NULL || show->what.function != NULL
           || show->what.source != NULL))
      die("%s: there is no map, and without names --image, --function and "
          "--source cannot choose", log);
   options = read_options(on_problem, src.rules);
   src.log = dcfg_xray_open(log, &options, &err);
   need_file(src.log != NULL, &err, KIND_XRAY);
   return src;
}

static const char* plural(uint64_t n, const char* one)
{
   return text_format("%s %s%s", text_count(n), one, n == 1 ? "" : "s");
}

/* Finish the messages about LOG.  Return the number of violations. */
static uint64_t finish_rules(const XrayShow* show, const Source* src,
                             const char* log)
{
   uint64_t n = rules_count(src->rules, NULL);

   rules_finish(src->rules);
   if (show->form == FORM_TEXT && !show->as->for_programs
       && (show->only_check || n > 0))
      printf("%s%s%s: %s\n", log, src->map_path != NULL ? ", " : "",
             src->map_path != NULL ? src->map_path : "", plural(n, "violation"));
   else if (n > 0)
      complain("%s: %s", log, plural(n, "violation"));
   return n;
}

static void close_source(Source* src)
{
   xray_names_free(src->names);
   dcfg_xray_map_free(src->map);
   rules_free(src->rules);
   free(src->map_path);
}

/*--- Showing a log                                        ---*/

static Table* threads_table(const XrayShow* show, const XrayRun* run)
{
   Table*   t = tab_new("threads");
   uint64_t total = xray_total(show, run);

   tab_column(t, COL_COUNT, "thread", "thread", 0);
   tab_column(t, COL_SHARE, "share", "share", 0);
   tab_column(t, COL_COUNT, "instructions", "instructions", 0);
   tab_column(t, COL_COUNT, "calls", "calls", 0);
   tab_column(t, COL_COUNT, "depth", "depth", 0);
   for (size_t i = 0; i < run->n_threads; i++) {
      const XrayThreadFigures* f = &run->threads[i];
      if (!f->begun || (show->thread != 0 && f->id != (int32_t)show->thread)
          || (show->form == FORM_TEXT && show->top > 0
              && tab_rows(t) == show->top))
         continue;
      put_count(t, (uint32_t)f->id);
      put_share(t, ticks_between(f->first, f->last), total);
      put_count(t, ticks_between(f->first, f->last));
      put_count(t, f->calls);
      put_count(t, f->depth);
   }
   return t;
}

static void show_text(const XrayShow* show, const XrayRun* run,
                      const Table* rows, uint64_t n)
{
   printf("%s", show->log);
   if (run->process != 0)
      printf(", process %" PRId32, run->process);
   printf(": version %" PRIu32 ", %s\n", run->header.version,
          plural(run->n_buffers, "buffer"));
   printf("%s instructions in %s; %s\n", text_count(xray_total(show, run)),
          show->thread == 0 ? plural(run->n_threads, "thread")
          : text_format("thread %" PRIu64, show->thread),
          plural(run->n_calls, "call"));
   if (run->n_threads > 1 && show->thread == 0) {
      Table* threads = threads_table(show, run);
      puts("\nThreads");
      tab_print(threads, FORM_TEXT, 0);
      tab_free(threads);
   }
   if (tab_rows(rows) < n)
      printf("\n%s of %s %s\n", text_count(tab_rows(rows)), text_count(n),
             show->as->rows);
   else
      printf("\n%c%s\n", show->as->rows[0] - 'a' + 'A', show->as->rows + 1);
   tab_print(rows, FORM_TEXT, 0);
   if (run->n_jumps > 0)
      printf("\n%s end by a jump, which is a compiler's tail call: what came "
             "behind it is no part of them\n",
             plural(run->n_jumps, "call"));
}

static void show_json(const XrayShow* show, const XrayRun* run,
                      const Table* rows, uint64_t violations)
{
   Table* threads = threads_table(show, run);

   printf("{ \"log\": ");
   put_json_string(show->log, stdout);
   printf(",\n  \"version\": %" PRIu32 ",\n  \"process_id\": ",
          run->header.version);
   if (run->process == 0)
      printf("null");
   else
      printf("%" PRId32, run->process);
   printf(",\n  \"violations\": %" PRIu64 ",\n  \"calls\": %" PRIu64
          ",\n  \"tail_calls\": %" PRIu64
          ",\n  \"instructions\": %" PRIu64 ",\n  \"threads\": ",
          violations, run->n_calls, run->n_jumps, xray_total(show, run));
   tab_print(threads, FORM_JSON, 2);
   printf(",\n  \"%s\": ", show->as->rows);
   tab_print(rows, FORM_JSON, 2);
   printf("\n}\n");
   tab_free(threads);
}

static void show_table(const XrayShow* show, void* state, XrayRun* run,
                       const XrayNames* names, uint64_t violations)
{
   uint64_t n;
   Table*   t = show->as->table(show, state, run, names, &n);

   if (show->form == FORM_TEXT)
      show_text(show, run, t, n);
   else if (show->form == FORM_CSV)
      tab_print(t, FORM_CSV, 0);
   else
      show_json(show, run, t, violations);
   tab_free(t);
}

static void need_this_thread(const XrayShow* show, const XrayRun* run)
{
   for (size_t i = 0; i < run->n_threads; i++)
      if (run->threads[i].begun && run->threads[i].id == (int32_t)show->thread)
         return;
   if (show->thread != 0)
      die("there is no thread %" PRIu64 " in %s, whose threads are counted "
          "from 1", show->thread, show->log);
}

static int show(const XrayShow* s)
{
   Source      src = open_source(s, s->log, s->map);
   XrayWatcher watcher = { 0 };
   void*       state = NULL;
   XrayRun*    run;
   uint64_t    violations;

   xray_need_wanted((const XrayNames*[]){ src.names }, 1);
   if (src.map == NULL)
      complain("there is no map %s.map: functions have numbers only",
               s->log);
   if (s->as->begin != NULL && !s->only_check)
      state = s->as->begin(s, src.names, &watcher);
   run = xray_walk(src.log, src.map, src.rules, &watcher);
   violations = finish_rules(s, &src, s->log);
   need_this_thread(s, run);
   if (s->as->write != NULL && !s->only_check)
      s->as->write(state, src.names);
   else if (s->as->table != NULL && !s->only_check)
      show_table(s, state, run, src.names, violations);
   if (state != NULL)
      s->as->end(state);
   xray_run_free(run);
   close_source(&src);
   return violations > 0 ? STATUS_FOUND : STATUS_OK;
}

/*--- Comparing two logs                                   ---*/

static void show_totals(const XrayShow* show, const char* which,
                        const char* path, const XrayRun* run)
{
   if (show->form == FORM_TEXT)
      printf("%s: %s: %s instructions, %s\n", which, path,
             text_count(xray_total(show, run)), plural(run->n_calls, "call"));
}

static int diff(const XrayShow* show, const char** logs, const char** maps,
                double share)
{
   Source   src[2];
   XrayRun* runs[2];
   uint64_t violations = 0, changes, functions;
   Table*   t;

   for (int i = 0; i < 2; i++) {
      src[i] = open_source(show, logs[i], maps[i]);
      if (src[i].map == NULL)
         die("there is no map %s.map, and without names functions cannot be "
             "compared", logs[i]);
   }
   xray_need_wanted((const XrayNames*[]){ src[0].names, src[1].names }, 2);
   for (int i = 0; i < 2; i++) {
      runs[i] = xray_walk(src[i].log, src[i].map, src[i].rules, NULL);
      violations += finish_rules(show, &src[i], logs[i]);
   }
   show_totals(show, "A", logs[0], runs[0]);
   show_totals(show, "B", logs[1], runs[1]);
   t = xray_diff_table(runs[0], src[0].names, runs[1], src[1].names, share,
                       show->top, show->wide, &changes, &functions);
   if (show->form == FORM_TEXT) {
      printf("\nFunctions: %s changed", text_count(changes));
      if (share > 0)
         printf(" by more than %g%%", share);
      printf(", of %s\n", text_count(functions));
      if (changes > 0)
         tab_print(t, FORM_TEXT, 0);
      if (tab_rows(t) < changes)
         printf("... and %s more\n", text_count(changes - tab_rows(t)));
   } else {
      if (show->form == FORM_JSON)
         printf("{ \"functions\": ");
      tab_print(t, show->form, 2);
      if (show->form == FORM_JSON)
         printf("\n}\n");
   }
   tab_free(t);
   for (int i = 0; i < 2; i++) {
      xray_run_free(runs[i]);
      close_source(&src[i]);
   }
   return changes + violations > 0 ? STATUS_FOUND : STATUS_OK;
}

/*--- The command line                                     ---*/

static int run(int argc, char** argv)
{
   bool        csv = false, json = false, two = false;
   uint64_t    thread = NOT_GIVEN;
   const char* share = "1";
   const char* as = choices[0]->name;
   double      percent;
   XrayShow    s = { .top = 10, .limit = 20, .what = SELECT_ALL,
                       .calls = UINT64_MAX };
   const Opt   opts[] = {
      { "as", OPT_TEXT, &as, "FORM", "one of these [functions]" },
      OPT_CHOICES(choices),
      { "check", OPT_FLAG, &s.only_check, NULL, "only check" },
      OPT_LIMIT(&s.limit),
      { "thread", OPT_COUNT, &thread, "N",
        "only thread N of the log, counted from 1 [all]" },
      { "threads", OPT_FLAG, &s.per_thread, NULL,
        "list the functions of each thread by itself" },
      { "image", OPT_TEXT, &s.what.image, "PATTERN",
        "only functions in images whose path or file name matches; without "
        "* ? [ a part of the name is enough, if it is no image's whole name; "
        "main: the image that has main()" },
      { "function", OPT_TEXT, &s.what.function, "NAME",
        "only this function; a pattern with * ? [ chooses all whose names "
        "match" },
      { "source", OPT_TEXT, &s.what.source, "FILE[:LINE[-LINE]]",
        "only functions that begin there" },
      { "top", OPT_COUNT, &s.top, "N", "N rows; 0: all [10]" },
      { "from", OPT_COUNT, &s.from, "INSTR",
        "only calls that begin at the thread's instruction INSTR or later" },
      { "calls", OPT_COUNT, &s.calls, "N", "at most N calls of each thread" },
      { "diff", OPT_FLAG, &two, NULL,
        "compare two logs: dcfg xray --diff A B, or with maps A B MAP-A MAP-B."
        "  Functions of one name in files of one name are the same" },
      { "share", OPT_TEXT, &share, "PERCENT",
        "with --diff, only counts that changed by more than PERCENT of the "
        "count in A; 0: all changes [1]" },
      OPT_WIDE(&s.wide), OPT_MANGLED(&s.mangled),
      OPT_CSV_JSON(&csv, &json,
                   "for programs; violations go to standard error")
   };
   const char* files[4];
   int         n = parse_args(&xray_command, OPTS(opts), argc, argv, files, 0,
                              4);

   s.as   = forms[choice("as", as, choices)];
   s.form = table_form(csv, json);
   percent = percentage("share", share);
   if (json && s.as->table == NULL)
      die("--as=%s has no --json", as);
   if (thread == 0 || (thread > INT32_MAX && thread != NOT_GIVEN))
      die("there is no thread %" PRIu64 ": those of a log are counted from 1",
          thread);
   s.thread = thread == NOT_GIVEN ? 0 : thread;
   only_one_input(files, (uint32_t)n);
   if (two) {
      const char* maps[2];
      if (n != 2 && n != 4)
         die("--diff needs two logs, or two logs and their maps; usage: dcfg "
             "%s %s", xray_command.name, xray_command.args);
      for (int i = 0; i < 2; i++)
         maps[i] = n == 4 ? files[2 + i] : NULL;
      return diff(&s, files, maps, percent);
   }
   if (n > 2)
      die("`%s' is one file too many; usage: dcfg %s %s", files[2],
          xray_command.name, xray_command.args);
   s.log = n == 0 ? default_file(&xray_command, KIND_XRAY) : files[0];
   s.map = n == 2 ? files[1] : NULL;
   return show(&s);
}

const Command xray_command = {
   "xray", "[LOG [MAP]]", "an XRay log: is it right, and where was time spent?",
   "Reads an XRay log, which valgrind --tool=dcfg --xray=yes writes, and its\n"
   "map, which has the functions' names [LOG.map].  Checks what llvm-xray\n"
   "needs to read them, and what the tool promises.  Lists functions by the\n"
   "instructions executed in them and in what they called.  Each violation\n"
   "is a line `RULE: WHERE: WHAT'.\n"
   "\n"
   "Columns: the share of all instructions, where a function within itself\n"
   "counts once; calls; the sum of all calls; the instructions of the\n"
   "function alone; the shortest call, the median, the longest.  CSV and\n"
   "JSON also have the 90th and 99th percentile.  llvm-xray account shows a\n"
   "million instructions as a second.\n",
   "\n"
   "exit status: 0 no violation, no difference; 1 there are; 2 wrong use, a\n"
   "file cannot be read, or the options select no function\n",
   run
};
