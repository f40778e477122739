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
   SliceOptions of = { .at = f->guard, .root = o->root, .copies = true,
                       .steps = WHY_STEPS };
   WhyForm      form = { .steps = 1, .options = &of };
   Sliced*      g = slice_find(file, &of);
   SliceView    v = view_of(g, file, &of);

   printf("%s\n", f->never_ran);
   why_lines(g, &v, &form);
   slice_forget(g);
   slice_forget(f);
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

static int run(int argc, char** argv)
{
   SliceOptions o = { 0 };
   const char*  as = NULL;
   const char*  path = NULL;
   uint64_t     top = NOT_GIVEN;
   bool         two = false, csv = false, json = false, markdown = false;
   bool         gdb = false, instances = false, all = false;
   bool         inlined = false;
   const char*  own = NULL;
   const char*  omitted = NULL;
   const char*  index = NULL;
   const Opt    opts[] = {
      { "at", OPT_TEXT, &o.at, "FILE:LINE[#N]",
        "slice from execution N of the line, from 0 [the last]; of a loop in "
        "one line, an execution is one iteration" },
      { "at", OPT_TEXT, &o.at, "ADDRESS[#N]",
        "slice from instance N of this instruction, from 0 [the last]" },
      { "syscall", OPT_TEXT, &o.syscall, "NAME[#N]",
        "slice from system call NAME, number N, from 0 [the last]" },
      { "output", OPT_TEXT, &o.output, "TEXT[#N]",
        "slice from TEXT where the program wrote it, number N, from 0 [the "
        "last]; \\n is a newline, \\# is # (needs --wet-values=yes)" },
      { "computed", OPT_FLAG, &o.computed, NULL,
        "with --output, only the bytes that are no constant text" },
      { "of", OPT_TEXT, &o.of, "LOCATION",
        "only of the value that LOCATION had just before: a register, flags, "
        "x87, memory as ADDRESS or ADDRESS,SIZE, or an expression of the "
        "source: price, l->discount, a[3], *p" },
      { "thin", OPT_FLAG, &o.thin, NULL,
        "only what made the value: no control, no addresses" },
      { "full", OPT_FLAG, &o.full, NULL,
        "follow all: RSP as an address, and control everywhere" },
      { "forward", OPT_FLAG, &o.forward, NULL,
        "follow what depends on it, instead of what it depends on" },
      { "as", OPT_TEXT, &as, "FORM", "one of these [lines]" },
      OPT_CHOICES(choices),
      { "omitted", OPT_TEXT_OR_NOT, &omitted, "no",
        "with lines, json and html: stores that could have changed a value, "
        "but did not run [if less than 10 lines of the program are in the "
        "slice; if more, few, below the first ten]" },
      { "own", OPT_TEXT, &own, "PATTERN",
        "with lines: images that count as the program, too, besides its file "
        "and those beside it" },
      { "all", OPT_FLAG, &all, NULL,
        "with lines: all lines, with those of libraries [40 of the program]" },
      { "instructions", OPT_FLAG, &instances, NULL, NULL },
      { "gdb", OPT_FLAG, &gdb, NULL, NULL },
      { "json", OPT_FLAG, &json, NULL,
        "the same as --as=instances, --as=gdb, --as=json" },
      { "top", OPT_COUNT, &top, "N",
        "with dot, the nearest N instances, 0: all [200]; with --diff, N lines "
        "and instructions [all]" },
      { "memory", OPT_COUNT, &max_memory, "MIB",
        "the most memory that the command may take [4096, less for small "
        "files]; forms other than lines and source take some 200 bytes for "
        "each instance" },
      OPT_INLINE(&inlined, "with the functions that code was inlined from, and "
                           "where; with lines, instances, json and html"),
      { "root", OPT_TEXT, &o.root, "DIR",
        "look for images below DIR first: for a trace of another machine, "
        "whose libraries are not here" },
      OPT_INDEX(&index, "use the index of the trace, if there is one [yes]"),
      { "o", OPT_TEXT, &path, "FILE", "write to FILE" },
      { "diff", OPT_FLAG, &two, NULL,
        "read two files, A and B, and say how the slice of B differs" },
      { "csv", OPT_FLAG, &csv, NULL, NULL },
      { "markdown", OPT_FLAG, &markdown, NULL,
        "with --diff: the difference in this form; so does --json" }
   };
   const SliceForm* form;
   const char* files[2];
   int         n = parse_args(&slice_command, OPTS(opts), argc, argv, files,
                              0, 2);

   if (as != NULL)
      choice("as", as, choices);
   o.index = index_use(index, INDEX_IF_THERE, INDEX_NEVER);
   if ((as != NULL) + gdb + json + instances > 1)
      die("only one of --as, --instructions, --gdb and --json");
   if (two && (as != NULL || instances || all || inlined))
      die("--diff does not go with --as, --instructions, --all and --inline");
   if (csv + json + markdown > 1)
      die("only one of --csv, --json and --markdown");
   if ((csv || markdown) && !two)
      die("--csv and --markdown are for --diff");
   if (two) {
      if (n != 2 || path != NULL || gdb)
         die("--diff needs two files, and prints a table");
      o.sums = true;
      return diff(files, &o, csv ? FORM_CSV : json ? FORM_JSON
                             : markdown ? FORM_MARKDOWN : FORM_TEXT,
                  top == NOT_GIVEN ? 0 : top);
   }
   if (n > 1)
      die("`%s' is one file too many; usage: dcfg %s %s", files[1],
          slice_command.name, slice_command.args);
   if (n == 0)
      files[0] = default_file(&slice_command, KIND_WET);
   if (as == NULL)
      as = json ? "json" : gdb ? "gdb" : instances ? "instances"
           : choices[0]->name;
   form   = forms[choice("as", as, choices)];
   if ((all || own != NULL) && form != &slice_form_lines)
      die("--%s is for lines, not --as=%s", all ? "all" : "own", as);
   if (omitted != NULL && omitted[0] != 0 && strcmp(omitted, "no") != 0)
      die("--omitted=%s: the value can only be `no'", omitted);
   if (omitted != NULL && form != &slice_form_lines && form != &slice_form_json
       && form != &slice_form_html)
      die("--omitted is for lines, json and html, not --as=%s", as);
   if (inlined && form != &slice_form_lines && form != &slice_form_json
       && form != &slice_form_instances && form != &slice_form_html)
      die("--inline is for lines, instances, json and html, not --as=%s", as);
   o.sums = !form->keeps_instances;
   Sliced*   f = slice_find(files[0], &o);
   if (f->never_ran != NULL && form == &slice_form_lines && path == NULL)
      return tell_never_ran(f, files[0], &o);
   if (f->never_ran != NULL)
      slice_the_guard(f, &o);
   SliceView v = view_of(f, files[0], &o);
   FILE*     out = open_result(path);
   v.top = top == NOT_GIVEN ? 200 : top;
   v.own = own;
   v.all = all;
   v.omitted = slice_omissions_new(f, files[0], &o, own,
                                   omitted == NULL ? OMITTED_IF_FEW
                                   : omitted[0] == 0 ? OMITTED_ALWAYS
                                   : OMITTED_NEVER);
   if (inlined)
      v.inlined = inlined_trace_new(f->w, o.root);
   form->write(&v, out);
   inlined_trace_free(v.inlined);
   close_results();
   slice_omissions_free(v.omitted);
   slice_forget(f);
   return STATUS_OK;
}

/*--- In another page                                      ---*/

static void write_guest(FILE* out, const char* file, const char* at,
                        const char* root)
{
   SliceOptions o = { .at = at, .root = root,
                      .index = INDEX_IF_THERE };
   Sliced*      f = slice_find(file, &o);
   SliceView    v;

   if (f->never_ran != NULL)
      slice_the_guard(f, &o);
   v = view_of(f, file, &o);
   v.omitted = slice_omissions_new(f, file, &o, NULL, OMITTED_IF_FEW);
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
