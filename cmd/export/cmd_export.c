/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg export. */

/* Owns: the subcommand export: its command line, the choice of images, and
   the check that their files are what was executed.  Handed: a command line. */

#include "cmd/base/terminal.h"
#include "cmd/commands.h"
#include "cmd/export/export.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/program/code.h"

#define ADDRESS_OF_FORM(name) &export_form_##name,
static const ExportForm* const forms[] = { EXPORT_FORMS(ADDRESS_OF_FORM) };
#define N_FORMS (sizeof(forms) / sizeof(forms[0]))

/*--- Which images                                         ---*/

/* Return, by image, whether the selection has something of it.  If the form
   needs CODE and there is no PATTERN, choose the program's own file only. */
static bool* choose(const Program* program, const Selection* selected,
                    const char* pattern, bool code)
{
   bool* chosen = zalloc(program->p->n_images, sizeof(*chosen));
   bool  any = false;

   for (uint32_t i = 0; i < program->p->n_images; i++) {
      chosen[i] = image_selected(selected, i)
                  && (pattern != NULL || !code
                      || strcmp(image_file(program, i), image_file(program, 0))
                      == 0);
      any = any || chosen[i];
   }
   if (!any)
      die(pattern != NULL ? "the options select no code that ran: there is "
                            "nothing to export" :
          "the options select no code of the program itself: --image=NAME "
          "exports another file");
   return chosen;
}

/* Die if the chosen images have different paths.  Images of one path are one
   file that was loaded more than once. */
static void need_one_file(const Program* program, const bool* chosen,
                          const char* pattern)
{
   const char* file = NULL;

   for (uint32_t i = 0; i < program->p->n_images; i++) {
      if (!chosen[i])
         continue;
      if (file != NULL && strcmp(file, image_file(program, i)) != 0)
         die("both %s and %s match `%s', but an export is about one file: give "
             "more of its path", text_clean(file), image_path(program, i),
             pattern);
      file = image_file(program, i);
   }
}

/* Die unless the file of every chosen image is what was executed. */
static void need_same(const Export* export)
{
   for (uint32_t i = 0; i < export->p->n_images; i++) {
      Sameness s;
      const DcfgImage* im = &export->p->images[i];
      bool     told = im->build_id != NULL || im->code_hash != NULL;
      if (!export->chosen[i])
         continue;
      if (!compare_with_file(export->code, &export->g, i, &s)
          && code_was_other(export->code))
         exit(STATUS_BAD);      // code_was_other() has said why
      if (code_path(export->code, i) == NULL)
         die("the file %s is not there, and without it its addresses are "
             "unknown: --root=DIR names a directory to look below",
             image_path(&export->g, i));
      if (s.difference[0] != 0)
         die("%s", not_executed(code_path(export->code, i),
                                text_format("there, %s", s.difference)));
      complain("%s %s what was executed: %s block%s, %s target%s and %s "
               "symbol%s agree%s; %s%s", text_clean(code_path(export->code, i)),
               told ? "is" : "may be",
               text_count(s.blocks), s.blocks == 1 ? "" : "s",
               text_count(s.targets), s.targets == 1 ? "" : "s",
               text_count(s.symbols), s.symbols == 1 ? "" : "s",
               s.unknown == 0 ? ""
               : text_format(", but for %s with unknown instructions",
                             text_count(s.unknown)),
               s.build_id[0] != 0 ? "its build id is " : "it has no build id",
               s.build_id);
   }
}

/*--- The whole                                            ---*/

/* Return the form whose option was given.  Die if none or several were.  WHAT:
   by form, the option's value or NULL. */
static const ExportForm* the_form(const char* const* what)
{
   const ExportForm* found = NULL;

   for (size_t i = 0; i < N_FORMS; i++) {
      if (what[i] == NULL)
         continue;
      if (found != NULL)
         die("--%s or --%s, not both", found->choice.name,
             forms[i]->choice.name);
      found = forms[i];
   }
   if (found == NULL)
      die("choose a format, such as --bolt or --lcov: see dcfg export --help");
   return found;
}

/* Run export --tables, which takes many files and no option of another form. */
static int run_tables(const TablesJob* job, const char* const* asked,
                      const char* out, const char** files, int n,
                      const char* list, bool nul_ended)
{
   FileNames names = { 0 };
   int       status;

   for (size_t i = 0; i < N_FORMS; i++)
      if (asked[i] != NULL)
         die("--tables or --%s, not both", forms[i]->choice.name);
   if (out != NULL)
      die("--tables=DIR names the directory of the tables: leave -o out");
   for (int i = 0; i < n; i++)
      add_file_name(&names, files[i]);
   if (list != NULL)
      read_file_names(&names, list, nul_ended);
   else if (n == 0)
      die("a file is missing; usage: dcfg export --tables=DIR FILE...");
   status = export_tables(job, &names);
   free_file_names(&names);
   return status;
}

/* The command line of --champsim: a whole execution trace, and nothing of the
   other forms. */
static int run_champsim(const Select* what, const char* const* asked,
                        const char* root, uint64_t warmup, const char* out,
                        const char** files, int n)
{
   for (size_t i = 0; i < N_FORMS; i++)
      if (asked[i] != NULL)
         die("--champsim or --%s, not both", forms[i]->choice.name);
   if (names_place(what) || root != NULL)
      die("--champsim writes all that a thread executed: only --thread and -o "
          "are for it");
   if (n > 1)
      die("--champsim: one file at a time");
   if (n == 0)
      files[0] = default_file(&export_command, KIND_WET);
   export_champsim(files[0], what->thread, warmup, out);
   return STATUS_OK;
}

/* Write the graph FILE in FORM to the file OUT, or to the standard output if
   OUT is NULL.  WHAT is the user's selection, and ROOT the folder of the
   images' files, or NULL.  EXPORT has the values of the form's options. */
static void export_graph(Export* export, const ExportForm* form,
                         const Select* what,
                         const char* root, const char* out, const char* file)
{
   Dcfg* d;
   bool* chosen;

   if (!form->parts && (what->routine != NULL || what->function != NULL
                        || what->source != NULL))
      die("--%s exports whole files: leave out --routine, --function and "
          "--source (lcov --extract takes parts)", form->choice.name);
   d           = load_dcfg(file);
   export->p        = main_process(d);
   export->g        = (Program){ .d = d, .p = export->p };
   export->thread   = need_thread(d, what->thread);
   export->selected = selection_new(&export->g, what);
   if (!is_found(export->selected))
      exit(STATUS_BAD);
   export->chosen = chosen = choose(&export->g, export->selected, what->image,
                                    form->code);
   if (form->one_file)
      need_one_file(&export->g, chosen, what->image);
   export->code = code_new(&export->g, root, true);
   export->root = root;
   export->file = file;
   if (form->code)
      need_same(export);
   export->out = open_result_as(out, form->packed ? RESULT_AS_IT_IS
                                                  : RESULT_USUAL);
   if (!form->text)
      do_not_clean_stdout();
   export->out_name = out != NULL ? out : "OUT";
   form->write(export);
   close_results();
   code_free(export->code);
   selection_free(export->selected);
   free(chosen);
   dcfg_free(d);
}

/* Die if an option of one form was given with another form. */
static void need_their_form(const Export* x, uint64_t warmup,
                            const char* const* asked, bool champsim,
                            bool tables)
{
   const ExportForm* form
      = !champsim && !tables && (x->lines || x->no_markers) ? the_form(asked)
                                                            : NULL;

   if (x->lines && form != &export_form_callgrind)
      die("--lines-only is for --callgrind");
   if (x->no_markers && form != &export_form_lcov)
      die("--no-markers is for --lcov");
   if (warmup > 0 && !champsim)
      die("--warmup is for --champsim");
}

static int run(int argc, char** argv)
{
   const char*   asked[N_FORMS] = { NULL };
   Select        what = SELECT_ALL;
   const char*   root = NULL;
   const char*   out = NULL;
   Export        x = { .what = "" };
   TablesJob     tables = { .job = "all" };
   const char*   list = NULL;
   bool          nul_ended = false;
   bool          champsim = false;
   uint64_t      warmup = 0;
   const char**  files = zalloc((size_t)argc + 1, sizeof(*files));
   int           n;
   const Opt     others[] = {
      { "o", OPT_TEXT, &out, "OUT", "write to OUT [the standard output]" },
      SELECT_PLACES(&what),
      OPT_REMARK("(without --image, the program's own)"),
      SELECT_THREAD(&what), OPT_ROOT(&root),
      { "lines-only", OPT_FLAG, &x.lines, NULL,
        "with --callgrind: without addresses and jumps, as speedscope needs "
        "it" },
      { "no-markers", OPT_FLAG, &x.no_markers, NULL,
        "with --lcov: also lines that LCOV_EXCL_LINE and the like exclude" },
      { "champsim", OPT_FLAG, &champsim, NULL,
        "for ChampSim, what --thread=N executed, one by one, of a whole "
        "execution trace (--wet=yes); -o OUT.xz compresses it" },
      { "warmup", OPT_COUNT, &warmup, "N",
        "with --champsim: the first N instructions, of all threads, are for "
        "warm-up [0]" },
      { "tables", OPT_TEXT, &tables.dir, "DIR",
        "tables of many runs for data bases, as compressed CSV in "
        "DIR/TABLE/job=NAME; with these options:" },
      { "job", OPT_TEXT, &tables.job, "NAME", "the job's name [all]" },
      { "shard", OPT_TEXT, &tables.shard, "I/N",
        "only the runs of shard I, from 0, of N" },
      { "files-from", OPT_TEXT, &list, "FILE",
        "also read the files that FILE names, one a line; -: the standard "
        "input" },
      { "0", OPT_FLAG, &nul_ended, NULL, "names in FILE end with NUL" },
      { "keep-going", OPT_FLAG, &tables.keep_going, NULL,
        "leave out files that cannot be read, and exit with 3" }
   };
   Opt           opts[N_FORMS + sizeof(others) / sizeof(others[0])];
   const ExportForm* form;
   const char*   file;

   for (size_t i = 0; i < N_FORMS; i++)
      opts[i] = (Opt){ forms[i]->choice.name, OPT_TEXT_OR_NOT, &asked[i],
                       forms[i]->choice.value, forms[i]->choice.help };
   memcpy(opts + N_FORMS, others, sizeof(others));
   n = parse_args(&export_command, OPTS(opts), argc, argv, files, 0, argc);
   if (out != NULL && strcmp(out, "-") == 0)
      out = NULL;
   need_their_form(&x, warmup, asked, champsim, tables.dir != NULL);
   if (champsim && tables.dir != NULL)
      die("--tables or --champsim, not both");
   if (tables.dir != NULL && (names_place(&what) || what.thread != NOT_GIVEN))
      die("--tables exports whole runs: leave out --image, --routine, "
          "--function, --source and --thread");
   if (tables.dir != NULL) {
      n = run_tables(&tables, asked, out, files, n, list, nul_ended);
      free(files);
      return n;
   }
   if (tables.shard != NULL || list != NULL || nul_ended || tables.keep_going
       || strcmp(tables.job, "all") != 0)
      die("--job, --shard, --files-from, -0 and --keep-going need --tables");
   if (champsim) {
      n = run_champsim(&what, asked, root, warmup, out, files, n);
      free(files);
      return n;
   }
   if (n > 1)
      die("only --tables takes several files; usage: dcfg %s %s",
          export_command.name, export_command.args);
   if (n == 0)
      default_files(&export_command, files, false);
   file = files[0];
   free(files);
   form = the_form(asked);
   for (size_t i = 0; i < N_FORMS; i++)
      x.what = asked[i] != NULL ? asked[i] : x.what;
   export_graph(&x, form, &what, root, out, file);
   return STATUS_OK;
}

const Command export_command = {
   "export", "[FILE]", "for other programs: BOLT, lcov, pprof, tables",
   "Writes the exact counts of a DCFG in the format of another program,\n"
   "which otherwise has samples.  If that needs an image's file, the command\n"
   "checks that the file is the one that ran, and says what it compared.\n"
   "Then it says which commands come next.  These messages go to the\n"
   "standard error.\n",
   "\n"
   "examples:\n"
   "  dcfg export --bolt -o prog.preagg out.json\n"
   "  dcfg export --pprof=out.trace -o prog.pb.gz out.json\n"
   "  dcfg export --profgen --image=libz -o libz.unsym out.json\n"
   "  dcfg export --tables=tables --job=night --shard=3/100 runs/*.json\n"
   "  dcfg export --champsim --thread=0 -o prog.champsimtrace.xz wet.out.4711\n",
   run
};
