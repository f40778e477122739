/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg slice. */

/* Owns: the command line of dcfg slice, and the guest page of a slice.
   Handed: whole execution traces. */

#include "cmd/commands.h"
#include "cmd/base/format.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/replayed/pack_file.h"
#include "cmd/replayed/window.h"
#include "cmd/slice/slice_guest.h"
#include "cmd/slice/why.h"

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

/* Print why a line never ran: its guards, and the first step of dcfg why
   from the guard that is nearest to it.  F is the slice of that guard in the
   trace FILE; free F.  Return the exit status. */
static int tell_never_ran(Sliced* f, const char* file, const SliceOptions* o)
{
   char*        guard = text_copy(f->guard);
   SliceOptions of = { .at = guard, .root = o->root, .copies = true,
                       .steps = 1 };
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
      const char*  window;
      bool         json, instances, all, inlined;
   }
   Given;

/* Options that slices no longer have, with those in their place. */
static const struct { const char *option, *instead; } gone[] = {
   { "--diff", "write both slices with -o, and compare the files with diff(1)" },
   { "--gdb", "dcfg gdb goes through the recording in gdb" },
   { "--as=gdb", "dcfg gdb goes through the recording in gdb" },
   { "--as=dot", "--as=html shows the instances, --json has them with their "
     "inputs" }
};

/* Refuse arguments that are in the list above. */
static void refuse_gone(char* const* argv)
{
   for (int i = 1; argv[i] != NULL && strcmp(argv[i], "--") != 0; i++) {
      const char* arg = argv[i];
      if (strcmp(arg, "--as") == 0 && argv[i + 1] != NULL)
         arg = text_format("--as=%s", argv[i + 1]);
      for (size_t k = 0; k < sizeof(gone) / sizeof(gone[0]); k++)
         if (strcmp(arg, gone[k].option) == 0)
            die("there is no %s any more: %s", arg, gone[k].instead);
   }
}

/* Return the form to print, and refuse options that are for another one. */
static const SliceForm* form_of(const Given* g)
{
   const char* as = g->as != NULL ? g->as : g->json ? "json"
                    : g->instances ? "instances" : choices[0]->name;
   const SliceForm* form = forms[choice("as", as, choices)];

   if ((g->as != NULL) + g->json + g->instances > 1)
      die("only one of --as, --instructions and --json");
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
   Given     g = { .o = { 0 } };
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
      { "whole", OPT_FLAG, &g.o.whole, NULL,
        "of a copy, follow all bytes that it moved, not only those that the "
        "slice wants" },
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
      { "json", OPT_FLAG, &g.json, NULL,
        "the same as --as=instances, --as=json" },
      { "memory", OPT_COUNT, &max_memory, "MIB",
        "the most memory that the command may take [4096, less for small "
        "files]; forms other than lines and source take some 200 bytes for "
        "each instance" },
      OPT_INLINE(&g.inlined, "with the functions that code was inlined from, and "
                           "where; with lines, instances, json and html"),
      { "root", OPT_TEXT, &g.o.root, "DIR",
        "look for images below DIR first: for a trace of another machine, "
        "whose libraries are not here" },
      OPT_WINDOW(&g.window),
      OPT_INDEX(&g.index, "use the index of the trace, and make one [yes]"),
      { "o", OPT_TEXT, &g.path, "FILE", "write to FILE" }
   };
   const char*      file = NULL;
   const SliceForm* form;

   refuse_gone(argv);
   parse_args(&slice_command, OPTS(opts), argc, argv, &file, 0, 1);
   g.o.index = index_use(g.index, INDEX_NEVER);
   form = form_of(&g);
   if (file == NULL)
      file = default_trace(&slice_command);
   file = pack_opened(file, &g.o.root);
   file = window_trace(file, &(Window){ g.window, slice_counts(&g.o),
                                        slice_is_within, &g.o, false });
   return write_slice(&g, file, form);
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
   "Prints a slice of a whole execution trace, which --wet=yes writes, or of\n"
   "a recording for replays, which --record=yes writes: all instances\n"
   "of instructions that a value depends on, through data and control.  It\n"
   "shows lines of the program.  Each has its distance from the\n"
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
   "  dcfg slice --at=price.c:21 --as=html -o why.html wet.out.4711\n"
   "  dcfg slice --thin --output='total 52' run.out.4711.rec\n",
   run
};
