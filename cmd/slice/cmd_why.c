/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg why. */

/* Owns: the command line of dcfg why.  Handed: a whole execution trace. */

#include "cmd/commands.h"
#include "cmd/base/operands.h"
#include "cmd/replayed/pack_file.h"
#include "cmd/replayed/window.h"
#include "cmd/slice/why.h"

#include <inttypes.h>
#include <unistd.h>

static void check_steps(const SliceOptions* o, const WhyForm* form,
                        uint64_t steps)
{
   if (steps == 0 || (steps >= UINT32_MAX && steps != NOT_GIVEN))
      die("--steps=%" PRIu64 ": give a number from 1 to 4294967294", steps);
   if (o->instructions && (form->json || form->all))
      die("--json and --all are for lines, not --instructions");
}

/* Check the options of --table, and fill in T.  CSV and STEPS: options. */
static void check_table(const SliceOptions* o, const WhyForm* form, WhyTable* t,
                        bool csv, uint64_t steps)
{
   if (!o->table && (t->where != NULL || csv))
      die("%s goes with --table", csv ? "--csv" : "--where");
   if (o->table && (o->instructions || steps != NOT_GIVEN || o->at == NULL))
      die("--table is of a line, FILE:LINE, without --steps and --instructions");
   if (csv && form->json)
      die("--csv or --json, not both");
   t->line = o->at;
   t->all  = form->all;
   t->form = csv ? FORM_CSV : form->json ? FORM_JSON : FORM_TEXT;
}

/* Question: all that is asked. */
typedef
   struct {
      SliceOptions* o;
      WhyForm*      form;
      WhyTable*     table;
      bool          inlined;
   }
   Question;

/* Print the answer to Q from the trace FILE. */
static void answer(const char* file, const Question* q)
{
   Sliced* f = slice_find(file, q->o);

   if (f->never_ran != NULL) {
      slice_note_before();
      q->o->at = f->guard;
      q->o->of = NULL;
      fprintf(q->form->json ? stderr : stdout, q->form->json ? "%s" : "%s\n",
              f->never_ran);
   }
   SliceView v = { .w = f->w, .s = f->s, .found = f, .file = file,
                   .root = q->o->root, .criterion = f->criterion };
   if (f->q.of == DCFG_SLICE_FRAME && f->s->frame == 0)
      slice_note_before();
   if (q->inlined)
      v.inlined = inlined_trace_new(f->program);
   if (q->form->asks)
      use_no_pager();
   if (q->o->table && f->never_ran == NULL)
      why_table(f, q->table);
   else if (q->o->instructions)
      why_instructions(f, &v, q->form->asks, q->form->steps);
   else
      why_lines(f, &v, q->form);
   inlined_trace_free(v.inlined);
   slice_forget(f);
}

/* Return whether the answer to ARG, a Question, has no value from before the trace
   PATH.  A conversation is judged by its first answer. */
static bool suffices(const void* arg, const char* path)
{
   const Question* q = arg;

   q->form->asks = false;
   answer(path, q);
   return !slice_noted_before();
}

/* Return whether the user can be asked. */
static bool is_talk(void)
{
   return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

static int run(int argc, char** argv)
{
   uint64_t     steps = NOT_GIVEN;
   const char*  index = NULL;
   const char*  window = NULL;
   SliceOptions o = { .copies = true };
   bool         inlined = false;
   bool         csv = false;
   WhyForm      form = { .options = &o };
   WhyTable     table = { .where = NULL };
   const Opt    opts[] = {
      { "at", OPT_TEXT, &o.at, "FILE:LINE",
        "begin with this line, as without --at=; also ADDRESS[#N]" },
      { "syscall", OPT_TEXT, &o.syscall, "NAME[#N]",
        "begin with system call NAME, number N, from 0 [the last]" },
      { "output", OPT_TEXT, &o.output, "TEXT",
        "begin with TEXT where the program wrote it last" },
      { "of", OPT_TEXT, &o.of, "LOCATION",
        "only of the value of LOCATION, as in dcfg slice --of" },
      { "steps", OPT_COUNT, &steps, "N",
        "explain N steps, the nearest first, and end [1]" },
      { "instructions", OPT_FLAG, &o.instructions, NULL,
        "a step is an instance of an instruction, not of a line" },
      { "all", OPT_FLAG, &form.all, NULL,
        "also frame pointers, return addresses and saved registers" },
      { "table", OPT_FLAG, &o.table, NULL,
        "a row for each execution of the line: its number, its thread, and the "
        "values that it read and wrote" },
      { "where", OPT_TEXT, &table.where, "CONDITION",
        "with --table, only executions with such values: 'price < 0'; also "
        "several with && between them" },
      { "csv", OPT_FLAG, &csv, NULL, "with --table: as CSV" },
      { "json", OPT_FLAG, &form.json, NULL,
        "the steps, or with --table the rows, for programs" },
      OPT_INLINE(&inlined, "with the functions that code was inlined from, and "
                 "where"),
      OPT_WINDOW(&window),
      OPT_INDEX(&index, "use the index of the trace, and make one [yes]"),
      OPT_ROOT(&o.root)
   };
   const char* args[2];
   int         n = parse_args(&why_command, OPTS(opts), argc, argv, args, 0, 2);
   bool        named = o.at != NULL || o.syscall != NULL || o.output != NULL;
   Question    q = { &o, &form, &table, inlined };
   const char* file;

   if (!named) {
      if (n == 0)
         die("name a line or an instruction; usage: dcfg %s %s",
             why_command.name, why_command.args);
      if (n == 1 && file_kind(args[0]) != KIND_OTHER)
         die("name a line or an instruction behind %s; usage: dcfg %s %s",
             args[0], why_command.name, why_command.args);
      o.at = args[n - 1];
      n--;
   } else if (n == 2) {
      die("`%s' and --at, --syscall or --output both say where to begin: leave "
          "one out", args[1]);
   }
   check_steps(&o, &form, steps);
   check_table(&o, &form, &table, csv, steps);
   form.asks  = steps == NOT_GIVEN && !form.json && !o.table && is_talk();
   form.steps = steps == NOT_GIVEN ? 1 : steps;
   o.lines    = !o.instructions && !form.all;
   o.uncounted = !form.json;
   o.index    = index_use(index, INDEX_NEVER);
   o.steps    = !o.instructions ? 1 : form.asks ? 0 : (uint32_t)form.steps;
   file = n == 1 ? args[0] : default_trace(&why_command);
   file = pack_opened(file, &o.root);
   file = window_trace(file, &(Window){ window, slice_counts(&o), suffices, &q,
                                        !form.asks });
   if (file != NULL)
      answer(file, &q);
   return STATUS_OK;
}

const Command why_command = {
   "why", "[FILE] [ADDRESS#INSTANCE]", "the same, one step at a time",
   "Explains one execution of a source line or an instruction, from a whole\n"
   "execution trace, which --wet=yes writes: what it computed, and which\n"
   "line had computed each value that it used.  Values come first, then what\n"
   "selected an address, then the branch or call that let the line run.\n"
   "Copies and libraries on the way are passed, and named.\n"
   "\n"
   "FILE:LINE may stand for ADDRESS#INSTANCE, and so may FILE:LINE#N, its\n"
   "execution N, from 0.  Without a number it is the last one.  On a\n"
   "terminal the command asks which value to explain next.\n",
   "\n"
   "examples:\n"
   "  dcfg why wet.out.4711 price.c:21\n"
   "  dcfg why run.out.4711.rec price.c:21\n"
   "  dcfg why --steps=5 --output='total 52' wet.out.4711\n",
   run
};
