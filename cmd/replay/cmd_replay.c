/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg replay. */

/* Owns: the command line of dcfg replay.  Handed: a recording for replays.

   The command replaces itself by valgrind, so the exit status is that of the
   program. */

#include "cmd/commands.h"
#include "cmd/base/format.h"
#include "cmd/base/operands.h"
#include "cmd/replayed/replay_run.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

typedef
   struct {
      bool        graph, trace, wet;
      const char* folder;       // or NULL
   }
   Outputs;

/* Add the options that write OUTPUTS.  Without any, the graph is written. */
static void add_outputs(TextList* options, const Outputs* o)
{
   const char* folder = o->folder == NULL ? ""
                        : text_format("%s/", plain_path_option(o->folder));
   bool        graph = o->graph || o->trace || !o->wet;

   if (o->folder != NULL && mkdir(o->folder, 0777) != 0 && errno != EEXIST)
      die("-o %s: %s", o->folder, strerror(errno));
   add_text(options, graph
            ? text_format("--dcfg-out-file=%sdcfg.out.%%p.json", folder)
            : "--dcfg-out-file=/dev/null");
   if (o->trace) {
      add_text(options, "--trace=yes");
      add_text(options, text_format("--trace-out-file=%sdcfg-trace.out.%%p.json",
                                    folder));
   }
   if (o->wet) {
      add_text(options, "--wet=yes");
      add_text(options, text_format("--wet-out-file=%swet.out.%%p", folder));
   }
}

static int run(int argc, char** argv)
{
   Outputs   o = { .folder = NULL };
   const Opt opts[] = {
      { "graph", OPT_FLAG, &o.graph, NULL,
        "write the graph, as without any of these three" },
      { "trace", OPT_FLAG, &o.trace, NULL, "write the graph and its trace" },
      { "wet", OPT_FLAG, &o.wet, NULL, "write a whole execution trace" },
      { "o", OPT_TEXT, &o.folder, "DIR",
        "write to this directory, which is made if it is not there [.]" }
   };
   TextList    options = { 0 };
   const char* file = NULL;
   int         own = 1;

   while (own < argc && strcmp(argv[own], "--") != 0)
      own++;
   parse_args(&replay_command, OPTS(opts), own, argv, &file, 0, 1);
   if (file == NULL)
      file = default_file(&replay_command, KIND_REC);
   use_no_pager();
   Replay r = replay_new(file);
   add_outputs(&options, &o);
   for (int i = own + 1; i < argc; i++)
      add_text(&options, argv[i]);
   replay_become(&r, &options);
}

const Command replay_command = {
   "replay", "[FILE] [-- OPTION...]", "execute a recorded run again",
   "Executes the run again that --record=yes recorded, the same instructions\n"
   "in the same order, without its inputs.  It finds the Valgrind that\n"
   "recorded, by VALGRIND or in PATH, and refuses if program or libraries are\n"
   "other builds now.  Options behind -- are the tool's: any output, and\n"
   "--start=end-N for the last N superblocks.  The exit status is the\n"
   "program's.\n",
   "\n"
   "examples:\n"
   "  valgrind --tool=dcfg --record=yes ./prog\n"
   "  dcfg replay\n"
   "  dcfg replay --trace -o results run.out.4711.rec\n"
   "  dcfg replay run.out.4711.rec -- --callgrind=yes --replay-output=no\n",
   run
};
