/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg slice. */

/* Owns: the command line of dcfg slice, and the guest page of a slice.
   Handed: whole execution traces. */

#include "cmd/commands.h"
#include "cmd/base/format.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/slice/slice_guest.h"
#include "cmd/slice/slice_page.h"
#include "cmd/slice/why.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static SliceView view_of(Sliced* f, const char* file,
                         const SliceOptions* o)
{
   return (SliceView){ .w = f->w, .s = f->s, .found = f,
                       .code = f->code, .file = file,
                       .root = o->root, .forward = o->forward,
                       .title = o->forward ? "forward slice" : "slice",
                       .criterion = f->criterion,
                       .not_followed = f->not_followed,
                       .thin = o->thin };
}

static int diff(const char* const* files, const SliceOptions* o, Form form,
                uint64_t top)
{
   Sliced*   a = slice_find(files[0], o);
   Sliced*   b = slice_find(files[1], o);
   SliceView va = view_of(a, files[0], o);
   SliceView vb = view_of(b, files[1], o);
   uint64_t  n = slice_print_diff(&va, &vb, form, top);

   slice_forget(a);
   slice_forget(b);
   return n > 0 ? STATUS_FOUND : STATUS_OK;
}

/* Print why a line never ran: its guards, and the first step of dcfg why
   from the guard that is nearest to it.  F is the slice of that guard in the
   trace FILE; free F.  Return the exit status. */
static int tell_never_ran(Sliced* f, const char* file, const SliceOptions* o)
{
   char*        guard = text_copy(f->guard);
   SliceOptions of = { .at = guard, .root = o->root, .copies = true,
                       .steps = WHY_STEPS };
   WhyForm      form = { .steps = 1, .options = &of };
   SliceView    v;

   printf("%s\n", f->never_ran);
   f = slice_find_next(f, &of);
   v = view_of(f, file, &of);
   why_lines(f, &v, &form);
   slice_forget(f);
   free(guard);
   return STATUS_OK;
}

/* Print that the line of F never ran, and make the guard that kept it from
   running the criterion of O. */
static void slice_the_guard(const Sliced* f, SliceOptions* o)
{
   complain("%.*s", (int)strcspn(f->never_ran, "\n"), f->never_ran);
   o->at = f->guard;
   o->of = NULL;
}

#define ADDRESS_OF_FORM(name) &slice_form_##name,
static const SliceForm* const forms[] = { SLICE_FORMS(ADDRESS_OF_FORM) };

#define CHOICE_OF_FORM(name) &slice_form_##name.choice,
static const OptionChoice* const choices[] = { SLICE_FORMS(CHOICE_OF_FORM) NULL };

/* Given: the arguments of dcfg slice. */
typedef
   struct {
      SliceOptions o;
      const char*  as;          // NULL: not given; so are the next ones
      const char*  path;
      const char*  own;
      const char*  omitted;
      const char*  index;
      uint64_t     top;         // or NOT_GIVEN
      bool         two;         // --diff
      bool         csv, json, markdown, gdb, instances, all, inlined;
   }
   Given;

/* Refuse options that do not go together. */
static void check_together(const Given* g)
{
   if ((g->as != NULL) + g->gdb + g->json + g->instances > 1)
      die("only one of --as, --instructions, --gdb and --json");
   if (g->two && (g->as != NULL || g->instances || g->all || g->inlined))
      die("--diff does not go with --as, --instructions, --all and --inline");
   if (g->csv + g->json + g->markdown > 1)
      die("only one of --csv, --json and --markdown");
   if ((g->csv || g->markdown) && !g->two)
      die("--csv and --markdown are for --diff");
}

/* Print how the slices of the N FILES differ.  Return the exit status. */
static int run_diff(Given* g, const char* const* files, int n)
{
   if (n != 2 || g->path != NULL || g->gdb)
      die("--diff needs two files, and prints a table");
   g->o.sums = true;
   return diff(files, &g->o, g->csv ? FORM_CSV : g->json ? FORM_JSON
                             : g->markdown ? FORM_MARKDOWN : FORM_TEXT,
               g->top == NOT_GIVEN ? 0 : g->top);
}

/* Return the form to print, and refuse options that are for another one. */
static const SliceForm* form_of(const Given* g)
{
   const char* as = g->as != NULL ? g->as : g->json ? "json" : g->gdb ? "gdb"
                    : g->instances ? "instances" : choices[0]->name;
   const SliceForm* form = forms[choice("as", as, choices)];

   if ((g->all || g->own != NULL) && form != &slice_form_lines)
      die("--%s is for lines, not --as=%s", g->all ? "all" : "own", as);
   if (g->omitted != NULL && g->omitted[0] != 0
       && strcmp(g->omitted, "no") != 0)
      die("--omitted=%s: the value can only be `no'", g->omitted);
   if (g->omitted != NULL && form != &slice_form_lines
       && form != &slice_form_json && form != &slice_form_html)
      die("--omitted is for lines, json and html, not --as=%s", as);
   if (g->inlined && form != &slice_form_lines && form != &slice_form_json
       && form != &slice_form_instances && form != &slice_form_html)
      die("--inline is for lines, instances, json and html, not --as=%s", as);
   return form;
}

/* Write a slice of the trace FILE in FORM.  Return the exit status. */
static int write_slice(Given* g, const char* file, const SliceForm* form)
{
   Sliced*   f;
   SliceView v;
   FILE*     out;

   g->o.sums = !form->keeps_instances;
   f = slice_find(file, &g->o);
   if (f->never_ran != NULL && form == &slice_form_lines && g->path == NULL)
      return tell_never_ran(f, file, &g->o);
   if (f->never_ran != NULL)
      slice_the_guard(f, &g->o);
   v   = view_of(f, file, &g->o);
   out = open_result(g->path);
   v.top = g->top == NOT_GIVEN ? 200 : g->top;
   v.own = g->own;
   v.all = g->all;
   v.omitted = slice_omissions_new(f, &g->o, g->own,
                                   g->omitted == NULL ? OMITTED_IF_FEW
                                   : g->omitted[0] == 0 ? OMITTED_ALWAYS
                                   : OMITTED_NEVER);
   if (g->inlined)
      v.inlined = inlined_trace_new(f->program);
   form->write(&v, out);
   inlined_trace_free(v.inlined);
   close_results();
   slice_omissions_free(v.omitted);
   slice_forget(f);
   return STATUS_OK;
}

static int run(int argc, char** argv)
{
   Given     g = { .top = NOT_GIVEN };
   const Opt opts[] = {
      { "at", OPT_TEXT, &g.o.at, "FILE:LINE[#N]",
        "slice from execution N of the line, from 0 [the last]; of a loop in "
        "one line, an execution is one iteration" },
      { "at", OPT_TEXT, &g.o.at, "ADDRESS[#N]",
        "slice from instance N of this instruction, from 0 [the last]" },
      { "syscall", OPT_TEXT, &g.o.syscall, "NAME[#N]",
        "slice from system call NAME, number N, from 0 [the last]" },
      { "output", OPT_TEXT, &g.o.output, "TEXT[#N]",
        "slice from TEXT where the program wrote it, number N, from 0 [the "
        "last]; \\n is a newline, \\# is #" },
      { "computed", OPT_FLAG, &g.o.computed, NULL,
        "with --output, only the bytes that are no constant text" },
      { "of", OPT_TEXT, &g.o.of, "LOCATION",
        "only of the value that LOCATION had just before: a register, flags, "
        "x87, memory as ADDRESS or ADDRESS,SIZE, or an expression of the "
        "source: price, l->discount, a[3], *p" },
      { "thin", OPT_FLAG, &g.o.thin, NULL,
        "only what made the value: no control, no addresses" },
      { "full", OPT_FLAG, &g.o.full, NULL,
        "follow all: RSP as an address, and control everywhere" },
      { "forward", OPT_FLAG, &g.o.forward, NULL,
        "follow what depends on it, instead of what it depends on" },
      { "as", OPT_TEXT, &g.as, "FORM", "one of these [lines]" },
      OPT_CHOICES(choices),
      { "omitted", OPT_TEXT_OR_NOT, &g.omitted, "no",
        "with lines, json and html: stores that could have changed a value, "
        "but did not run [if less than 10 lines of the program are in the "
        "slice; if more, few, below the first ten]" },
      { "own", OPT_TEXT, &g.own, "PATTERN",
        "with lines: images that count as the program, too, besides its file "
        "and those beside it" },
      { "all", OPT_FLAG, &g.all, NULL,
        "with lines: all lines, with those of libraries [40 of the program]" },
      { "instructions", OPT_FLAG, &g.instances, NULL, NULL },
      { "gdb", OPT_FLAG, &g.gdb, NULL, NULL },
      { "json", OPT_FLAG, &g.json, NULL,
        "the same as --as=instances, --as=gdb, --as=json" },
      { "top", OPT_COUNT, &g.top, "N",
        "with dot, the nearest N instances, 0: all [200]; with --diff, N lines "
        "and instructions [all]" },
      { "memory", OPT_COUNT, &max_memory, "MIB",
        "the most memory that the command may take [4096, less for small "
        "files]; forms other than lines and source take some 200 bytes for "
        "each instance" },
      OPT_INLINE(&g.inlined, "with the functions that code was inlined from, and "
                           "where; with lines, instances, json and html"),
      { "root", OPT_TEXT, &g.o.root, "DIR",
        "look for images below DIR first: for a trace of another machine, "
        "whose libraries are not here" },
      OPT_INDEX(&g.index, "use the index of the trace, and make one [yes]"),
      { "o", OPT_TEXT, &g.path, "FILE", "write to FILE" },
      { "diff", OPT_FLAG, &g.two, NULL,
        "read two files, A and B, and say how the slice of B differs" },
      { "csv", OPT_FLAG, &g.csv, NULL, NULL },
      { "markdown", OPT_FLAG, &g.markdown, NULL,
        "with --diff: the difference in this form; so does --json" }
   };
   const char*      files[2];
   const SliceForm* form;
   int n = parse_args(&slice_command, OPTS(opts), argc, argv, files, 0, 2);

   if (g.as != NULL)
      choice("as", g.as, choices);
   g.o.index = index_use(g.index, INDEX_MADE, INDEX_NEVER);
   check_together(&g);
   if (g.two)
      return run_diff(&g, files, n);
   if (n > 1)
      die("`%s' is one file too many; usage: dcfg %s %s", files[1],
          slice_command.name, slice_command.args);
   if (n == 0)
      files[0] = default_file(&slice_command, KIND_WET);
   form = form_of(&g);
   return write_slice(&g, files[0], form);
}

/*--- In another page                                      ---*/

static void write_guest(FILE* out, const char* file, const char* at,
                        const char* root)
{
   SliceOptions o = { .at = at, .root = root };
   Sliced*      f = slice_find(file, &o);
   SliceView    v;

   if (f->never_ran != NULL)
      slice_the_guard(f, &o);
   v = view_of(f, file, &o);
   v.omitted = slice_omissions_new(f, &o, NULL, OMITTED_IF_FEW);
   slice_page_data(&v, out);
   slice_omissions_free(v.omitted);
   slice_forget(f);
}

const PageGuest slice_guest = { &slice_guest_page, write_guest };

const Command slice_command = {
   "slice", "[FILE]", "where a value came from, or where it went",
   "Prints a slice of a whole execution trace, which --wet=yes writes: all\n"
   "instances of instructions that a value depends on, through data and\n"
   "control.  It shows lines of the program.  Each has its distance from the\n"
   "value, the number of its instances in the slice, and their share of all\n"
   "its instances.\n",
   "\n"
   "By default the slice does not follow RSP (on arm64 SP) as an address.\n"
   "It follows control only in the criterion's image, and there, if the\n"
   "image has source lines, only in code that has some.  It also follows\n"
   "control where a library decides on what a call-back returned.\n"
   "\n"
   "examples:\n"
   "  dcfg slice --at=price.c:21 wet.out.4711\n"
   "  dcfg slice --output='total 52' --thin wet.out.4711\n"
   "  dcfg slice --at=price.c:21 --as=html -o why.html wet.out.4711\n",
   run
};
