/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The output of the Callgrind profile. */

/* Owns: the options of a profile; its files, perhaps one for each thread, or one
   for all parts; the sums of all that was written.  Handed: the run by
   tool/run/gather.c, calls by tool/calls/calls.c.

   tool/profile/costs.c orders the costs, tool/profile/text.c writes them. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "format/put.h"
#include "format/wet_process.h"
#include "tool/calls/context.h"
#include "tool/calls/follow.h"
#include "tool/calls/stack.h"
#include "tool/calls/systime.h"
#include "tool/calls/toggle.h"
#include "tool/dcfg_output.h"
#include "tool/files/file.h"
#include "tool/files/stream.h"
#include "tool/profile/profile.h"
#include "tool/run/thread.h"

/*--- Options                                              ---*/

static struct {
   Bool          on;
   const HChar*  out_file;
   ProfileFormat format;
   Bool          collect_jumps;
   Bool          separate_threads;
   Bool          combine_dumps;
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

static const HChar* for_profile;     // an option that needs a profile, or NULL
static HChar        no_effect[512];  // options of caches that were given

static void take_systime(const HChar* option, const HChar* value, Int what)
{
   static const struct {
      const HChar* word;
      SysTimeUnit  unit;
      const HChar* name;
   } all[] = {
      { "no", NoSysTime }, { "yes", SysTimeMsec, "ms" },
      { "msec", SysTimeMsec, "ms" }, { "usec", SysTimeUsec, "us" },
      { "nsec", SysTimeNsec, "ns" }
   };

   for_profile = option;
   for (UInt i = 0; i < sizeof(all) / sizeof(all[0]); i++)
      if (VG_STREQ(value, all[i].word)) {
         DCFG_(time_syscalls)(all[i].unit);
         opts.format.time_unit = all[i].name;
         return;
      }
   VG_(fmsg)("%s=%s: give no, yes, msec, usec or nsec\n", option, value);
   VG_(exit)(1);
}

/* Note an option of Callgrind that only concerns caches and branches. */
static void ignore(const HChar* option, const HChar* value, Int takes_size)
{
   for_profile = option;
   if (!takes_size && !VG_STREQ(value, "yes") && !VG_STREQ(value, "no")) {
      VG_(fmsg)("%s=%s: give yes or no\n", option, value);
      VG_(exit)(1);
   }
   if (VG_STREQ(value, "no") || VG_(strstr)(no_effect, option) != NULL)
      return;
   VG_(strcat)(no_effect, no_effect[0] == 0 ? "" : ", ");
   VG_(strcat)(no_effect, option);
}

#define IGNORED(name) OPTION_CALL(name, ignore, False, "no|yes", NULL)
#define IGNORED_SIZE(name) OPTION_CALL(name, ignore, True, "<cache>", NULL)

static const Option options[] = {
   OPTION_BOOL("--callgrind", opts.on, "also write a Callgrind profile"),
   OPTION_TEXT("--callgrind-out-file", opts.out_file, "<file>",
               "write the profile to <file>"),
   OPTION_BOOL("--dump-line", opts.format.dump_line,
               "profile: add costs of source lines"),
   OPTION_BOOL("--dump-instr", opts.format.dump_instr,
               "profile: add costs of instructions"),
   OPTION_BOOL("--collect-jumps", opts.collect_jumps, "profile: add jumps"),
   OPTION_CALL("--collect-systime", take_systime, 0, "no|yes|msec|usec|nsec",
               "profile: add number and time of system calls [no]"),
   OPTION_BOOL("--compress-strings", opts.format.compress_strings,
               "profile: compress names"),
   OPTION_BOOL("--compress-pos", opts.format.compress_pos,
               "profile: compress positions"),
   OPTION_BOOL("--separate-threads", opts.separate_threads,
               "profile: write one file for each thread"),
   OPTION_BOOL("--combine-dumps", opts.combine_dumps,
               "profile: write all parts into one file"),
   /* The old name of --collect-jumps. */
   { .name = "--trace-jump", .value = "no|yes", .yes = &opts.collect_jumps },
   IGNORED("--cache-sim"), IGNORED("--simulate-cache"),
   IGNORED("--branch-sim"), IGNORED("--collect-bus"),
   IGNORED("--simulate-wb"), IGNORED("--simulate-hwpref"),
   IGNORED("--simulate-sectors"), IGNORED("--cacheuse"),
   IGNORED_SIZE("--I1"), IGNORED_SIZE("--D1"), IGNORED_SIZE("--LL")
};

/* Refuse options that would have an effect with a profile only. */
static void refuse_without_profile(void)
{
   if (opts.combine_dumps)
      for_profile = "--combine-dumps";
   if (DCFG_(dump_every) > 0)
      for_profile = "--dump-every-bb";
   if (DCFG_(context_option_given)() != NULL)
      for_profile = DCFG_(context_option_given)();
   if (DCFG_(skip_option_given)() != NULL)
      for_profile = DCFG_(skip_option_given)();
   if (for_profile == NULL)
      return;
   VG_(fmsg)("%s is an option of the profile: add --callgrind=yes, or leave it "
             "out\n", for_profile);
   VG_(exit)(1);
}

static Bool start(void)
{
   if (!opts.on) {
      refuse_without_profile();
      return False;
   }
   if (no_effect[0] != 0)
      DCFG_(remark)("dcfg: no effect here: %s; a profile has instructions, but no "
                    "caches and no branch prediction\n", no_effect);
   DCFG_(claim_out_file)("--callgrind-out-file", opts.out_file);
   if (!opts.format.dump_line && !opts.format.dump_instr) {
      DCFG_(remark)("dcfg: --dump-line=no is ignored: without lines, a profile "
                    "needs --dump-instr=yes\n");
      opts.format.dump_line = True;
   }
   if (opts.combine_dumps)
      DCFG_(set_spool_place)("--callgrind-out-file", opts.out_file, 16 << 20);
   DCFG_(follow_calls)(opts.separate_threads);
   if (opts.collect_jumps)
      DCFG_(count_last_exits)();
   return True;
}

/*--- Files                                                ---*/

/* Collected: the events of what was written. */
typedef
   struct {
      ULong n, sys[N_SYS_EVENTS];
   }
   Collected;

/* All that was written: of parts that are over, and of the last part. */
static Collected collected_before, collected_now;
static UInt      last_part;

static OutFile* open_file(const HChar* name)
{
   OutFile* file = DCFG_(open_out_file)("--callgrind-out-file", name, NULL,
                                        False);

   DCFG_(set_reader)(file, "callgrind_annotate", NULL);
   return file;
}

/*--- Parts in one file                                    ---*/

/* Combined: the text of all parts, for --combine-dumps.  The file is written
   anew when that has grown by an eighth, and at the end.  A part may be written
   again, if its file could not be written; so its text stays apart. */
static struct {
   Stream* earlier;        // parts that are over
   Stream* last;           // the part that was written last
   Names   names;
   ULong   n_written;      // bytes in the file
} combined;

static void append_text(void* arg, const HChar* bytes, UInt n)
{
   DCFG_(append_to_stream)(combined.last, bytes, n);
}

/* Call DO_IT for all bytes of STREAM. */
static void each_piece(const Stream* stream,
                       void (*do_it)(void* arg, const HChar* bytes, UInt n),
                       void* arg)
{
   HChar bytes[4096];
   ULong at = 0;
   UInt  n;

   while ((n = DCFG_(read_stream)(stream, at, bytes, sizeof(bytes))) > 0) {
      do_it(arg, bytes, n);
      at += n;
   }
}

static void put_piece(void* out, const HChar* bytes, UInt n)
{
   DCFG_(put_bytes)(out, bytes, n);
}

static void append_piece(void* stream, const HChar* bytes, UInt n)
{
   DCFG_(append_to_stream)(stream, bytes, n);
}

/* Begin the text of a part, which IS_NEW or takes the place of the last one. */
static void begin_combined(Bool is_new)
{
   if (combined.earlier == NULL)
      combined.earlier = DCFG_(new_stream)();
   if (combined.last != NULL) {
      if (is_new)
         each_piece(combined.last, append_piece, combined.earlier);
      DCFG_(delete_stream)(combined.last);
   }
   combined.last = DCFG_(new_stream)();
}

/* Write the file, if there is much to add or the run IS_OVER. */
static void write_combined(Bool is_over)
{
   const ULong n = DCFG_(stream_length)(combined.earlier)
                   + DCFG_(stream_length)(combined.last);

   if (!is_over && n < combined.n_written + combined.n_written / 8)
      return;
   OutFile* file = open_file(opts.out_file);
   each_piece(combined.earlier, put_piece, DCFG_(text_of_file)(file));
   each_piece(combined.last, put_piece, DCFG_(text_of_file)(file));
   combined.n_written = n;
   DCFG_(close_out_file)(file, "%'llu instructions",
                         collected_before.n + collected_now.n);
}

/* Add the profile of C to the text of the part. */
static void combine(const Gathered* g, const ImageInfo* images, Costs* c,
                    const HChar* trigger, UInt thread)
{
   Put* out = VG_(malloc)("dcfg.profile.put", sizeof(Put));

   DCFG_(start_put)(out, append_text, NULL);
   DCFG_(write_profile)(out, &opts.format, g, images, c, trigger, thread,
                 &combined.names, DCFG_(stream_length)(combined.earlier) > 0
                                  || DCFG_(stream_length)(combined.last) > 0);
   VG_(free)(out);
}

/*--- All files                                            ---*/

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

   collected_now.n += DCFG_(total_cost)(c);
   for (UInt e = 0; e < N_SYS_EVENTS; e++)
      collected_now.sys[e] += DCFG_(total_sys)(c)[e];
   if (opts.combine_dumps) {
      combine(g, images, c, trigger, thread);
   } else {
      VG_(sprintf)(part, thread > 0 ? "-%02u" : "", thread);
      name = DCFG_(name_of_part)("--callgrind-out-file", opts.out_file, part);
      file = open_file(name);
      DCFG_(write_profile)(DCFG_(text_of_file)(file), &opts.format, g, images,
                    c, trigger, thread, NULL, False);
      DCFG_(close_out_file)(file, "%'llu instructions", DCFG_(total_cost)(c));
      VG_(free)(name);
   }
   DCFG_(delete_costs)(c);
}

/* Begin to write part PART, perhaps once more. */
static void begin_part(UInt part)
{
   const Bool is_new = part != last_part;

   if (opts.combine_dumps)
      begin_combined(is_new);
   if (is_new) {
      collected_before.n += collected_now.n;
      for (UInt e = 0; e < N_SYS_EVENTS; e++)
         collected_before.sys[e] += collected_now.sys[e];
   }
   VG_(memset)(&collected_now, 0, sizeof(collected_now));
   last_part = part;
}

/* Tell the sums as Callgrind does, for programs that read them. */
static void tell_collected(void)
{
   static const HChar* const names[]
      = { "", " sysCount", " sysCount sysTime",
          " sysCount sysTime sysCpuTime" };
   const UInt n = DCFG_(n_sys_events)();
   HChar      line[128];
   Int        len = VG_(sprintf)(line, "%llu",
                                 collected_before.n + collected_now.n);

   for (UInt e = 0; e < n; e++)
      len += VG_(sprintf)(line + len, " %llu",
                          collected_before.sys[e] + collected_now.sys[e]);
   DCFG_(remark)("Events    : Ir%s\n", names[n]);
   DCFG_(remark)("Collected : %s\n", line);
   DCFG_(remark)("\n");
   DCFG_(remark)("I   refs:      %'llu\n",
                 collected_before.n + collected_now.n);
}

static void write(const Gathered* g, const HChar* reason)
{
   const Bool is_over = g->end.kind == EndExit || g->end.kind == EndSignal;
   ImageInfo* images = VG_(calloc)("dcfg.profile.images", g->n_images + 1,
                                   sizeof(ImageInfo));

   for (UInt i = 0; i < g->n_images; i++)
      DCFG_(image_info)(g->images[i], True, &images[i]);
   begin_part(g->part);
   DCFG_(account_for_calls)();
   if (opts.separate_threads)
      for (UInt t = 0; t < DCFG_(n_threads)(); t++)
         write_file(g, images, reason, t + 1);
   else
      write_file(g, images, reason, 0);
   DCFG_(take_account_back)();
   VG_(free)(images);
   if (opts.combine_dumps)
      write_combined(g->end.kind != EndOpen);
   if (is_over)
      tell_collected();
}

static void forked(void)
{
   if (combined.earlier != NULL) {
      DCFG_(delete_stream)(combined.earlier);
      DCFG_(delete_stream)(combined.last);
   }
   combined.earlier   = combined.last = NULL;
   combined.n_written = 0;
   last_part          = 0;
   VG_(memset)(&collected_before, 0, sizeof(collected_before));
   VG_(memset)(&collected_now, 0, sizeof(collected_now));
}

const Output DCFG_(profile_output) = {
   .name    = "profile",
   .options = OPTIONS(options),
   .start   = start,
   .write   = write,
   .forked  = forked
};
