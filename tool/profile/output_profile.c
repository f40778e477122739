/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The output of the Callgrind profile. */

/* Owns: the options of a profile, and the steps from counts to a file, or to a
   file for each thread.  Handed: the run by tool/run/gather.c, calls by
   tool/calls/follow.c.  Taken by: dcfg_main.c. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

#include "tool/files/file.h"
#include "tool/calls/calls.h"
#include "tool/calls/follow.h"
#include "tool/calls/stack.h"
#include "tool/dcfg_output.h"
#include "tool/profile/costs.h"
#include "tool/profile/notation.h"
#include "tool/run/gather.h"
#include "tool/run/image.h"
#include "tool/run/thread.h"

/*--- Options                                              ---*/

static struct {
   Bool          on;
   const HChar*  out_file;
   ProfileFormat format;
   Bool          collect_jumps;
   Bool          separate_threads;
} opts = {
   .on               = False,
   .out_file         = "callgrind.out.%p",
   .format           = {
      .dump_line        = True,
      .dump_instr       = False,
      .compress_strings = True,
      .compress_pos     = True
   },
   .collect_jumps    = False,
   .separate_threads = False
};

static const Option options[] = {
   OPTION_BOOL("--callgrind", opts.on, "also write a Callgrind profile"),
   OPTION_TEXT("--callgrind-out-file", opts.out_file, "<file>",
               "write the profile to <file>"),
   OPTION_BOOL("--dump-line", opts.format.dump_line,
               "profile: add costs of source lines"),
   OPTION_BOOL("--dump-instr", opts.format.dump_instr,
               "profile: add costs of instructions"),
   OPTION_BOOL("--collect-jumps", opts.collect_jumps, "profile: add jumps"),
   OPTION_BOOL("--compress-strings", opts.format.compress_strings,
               "profile: compress names"),
   OPTION_BOOL("--compress-pos", opts.format.compress_pos,
               "profile: compress positions"),
   OPTION_BOOL("--separate-threads", opts.separate_threads,
               "profile: write one file for each thread")
};

static Bool start(void)
{
   if (!opts.on)
      return False;
   DCFG_(claim_out_file)("--callgrind-out-file", opts.out_file);
   if (!opts.format.dump_line && !opts.format.dump_instr) {
      VG_(umsg)("dcfg: --dump-line=no is ignored: without lines, a profile "
                "needs --dump-instr=yes\n");
      opts.format.dump_line = True;
   }
   DCFG_(follow_calls)(opts.separate_threads);
   if (opts.collect_jumps)
      DCFG_(count_last_exits)();
   return True;
}

/*--- Files                                                ---*/

/* Write the file of thread number THREAD - 1, or of all threads if THREAD is
   0. */
static void write_file(const Gathered* g, const ImageInfo* images,
                       const HChar* trigger, UInt thread)
{
   UInt     index = thread > 0 ? thread - 1 : 0;
   Costs*   c = DCFG_(take_costs)(g, DCFG_(call_profile)(index),
                                  thread > 0 ? index : DCFG_ALL_THREADS,
                                  opts.collect_jumps);
   HChar    part[16];
   HChar*   name;
   OutFile* file;

   VG_(sprintf)(part, thread > 0 ? "-%02u" : "", thread);
   name = DCFG_(name_of_part)("--callgrind-out-file", opts.out_file, part);
   file = DCFG_(open_out_file)("--callgrind-out-file", name, NULL);
   DCFG_(set_reader)(file, "callgrind_annotate", NULL);
   DCFG_(write_profile)(DCFG_(text_of_file)(file), &opts.format, g, images,
                        c, trigger, thread);
   DCFG_(close_out_file)(file, "%'llu instructions", DCFG_(total_cost)(c));
   VG_(free)(name);
   DCFG_(delete_costs)(c);
}

static void write(const Gathered* g, const HChar* reason)
{
   ImageInfo* images = VG_(calloc)("dcfg.profile.images", g->n_images + 1,
                                   sizeof(ImageInfo));

   for (UInt i = 0; i < g->n_images; i++)
      DCFG_(image_info)(g->images[i], True, &images[i]);
   DCFG_(account_for_calls)();
   if (opts.separate_threads)
      for (UInt t = 0; t < DCFG_(n_threads)(); t++)
         write_file(g, images, reason, t + 1);
   else
      write_file(g, images, reason, 0);
   DCFG_(take_account_back)();
   VG_(free)(images);
}

const Output DCFG_(profile_output) = {
   .name    = "profile",
   .options = OPTIONS(options),
   .start   = start,
   .write   = write
};
