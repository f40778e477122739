/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The output of the XRay log. */

/* Owns: the options of an XRay log, and the steps from the threads' logs to
   files.  Handed: threads by tool/run/thread.c. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

#include "tool/arch/guest.h"
#include "tool/files/file.h"
#include "tool/base/options.h"
#include "tool/files/stream.h"
#include "tool/dcfg_output.h"
#include "tool/run/exclude.h"
#include "tool/run/thread.h"
#include "tool/calls/active.h"
#include "tool/xray/xray.h"

/*--- Options                                              ---*/

#define OUT_FILE "xray-log.%p"

/* Room for the file's header and three buffers. */
#define LEAST_LIMIT 65536

static struct {
   Bool         on;
   const HChar* out_file;
   const HChar* map_file;      // NULL: beside the log
   Bool         map_is_named;  // named by the user
   const HChar* read_map;
   Bool         args;
   const HChar* limit;
   const HChar* keep;
   Int          version;
} opts = {
   .on          = False,
   .out_file    = OUT_FILE,
   .keep        = "first",
   .version     = 1
};

static UInt log_number;      // its number in tool/calls/active.h

#define MOST_INSTRS 1000000000

static const Option options[] = {
   OPTION_BOOL("--xray", opts.on, "also write an XRay log of all calls"),
   OPTION_TEXT("--xray-out-file", opts.out_file, "<file>",
               "write the log to <file>"),
   OPTION_TEXT("--xray-map-file", opts.map_file, "<file>",
               "write the functions' names to <file> [LOG.map]"),
   OPTION_INT("--xray-min-instrs", DCFG_(log_options).min_instrs, 0,
              MOST_INSTRS, "<n>", "leave out calls of fewer instructions"),
   OPTION_TEXT("--xray-functions", DCFG_(log_options).functions, "<glob>,...",
               "log only functions with such names [all]"),
   OPTION_TEXT("--xray-images", DCFG_(log_options).images, "<glob>,...",
               "log only functions in such objects [all]"),
   OPTION_INT("--xray-depth", DCFG_(log_options).depth, 0, MOST_INSTRS, "<n>",
              "log only the outermost <n> calls of a stack; 0: all"),
   OPTION_BOOL("--xray-args", opts.args, "log the registers for arguments"),
   OPTION_TEXT("--xray-limit", opts.limit, "<size>",
               "limit the log to <size>, such as 500M; 0: no limit [0]"),
   OPTION_TEXT("--xray-keep", opts.keep, "first|last",
               "keep the first or the last calls up to the limit"),
   OPTION_INT("--xray-version", opts.version, 1, 5, "1|5",
              "the version of the format"),
   OPTION_TEXT("--xray-read-map", opts.read_map, "<file>",
               "number functions as in the map <file> [none]")
};

static void fail(const HChar* opt, const HChar* value, const HChar* why)
{
   VG_(fmsg)("%s=%s: %s\n", opt, value, why);
   VG_(exit)(1);
}

static void set_format(void)
{
   FlightFormat* f = &DCFG_(flight_format);

   if (opts.version != 1 && opts.version != 5) {
      VG_(fmsg)("--xray-version=%d: the versions are 1 and 5\n", opts.version);
      VG_(exit)(1);
   }
   f->version = opts.version;
   if (VG_STREQ(opts.keep, "last"))
      f->keep_last = True;
   else if (!VG_STREQ(opts.keep, "first"))
      fail("--xray-keep", opts.keep, "the values are first and last");
   if (opts.limit == NULL)
      return;
   if (!DCFG_(parse_size)(opts.limit, &f->limit))
      fail("--xray-limit", opts.limit,
           "this is no size; a size is such as 500M or 2G");
   if (f->limit != 0 && f->limit < LEAST_LIMIT)
      fail("--xray-limit", opts.limit, "the least is 64K");
}

static void check_args(void)
{
   if (DCFG_(guest).n_argument_registers == 0)
      fail("--xray-args", "yes", "this is not there for this processor: "
           "the tool does not know its registers for arguments");
   /* Arguments would be read only after the first instruction. */
   if (DCFG_(excludes_code)())
      fail("--xray-args", "yes", "this cannot be used with "
           "--exclude-images, --exclude-functions or --only-images");
}

static void read_map(void)
{
   const HChar* why = DCFG_(read_elf_map)(opts.read_map);

   if (why != NULL)
      fail("--xray-read-map", opts.read_map, why);
}

static void claim_files(void)
{
   DCFG_(claim_out_file)("--xray-out-file", opts.out_file);
   opts.map_is_named = opts.map_file != NULL;
   if (!opts.map_is_named
       && DCFG_(has_side_file)("--xray-out-file", opts.out_file,
                               "the functions' names")) {
      HChar* map = VG_(malloc)("dcfg.xray.map",
                               VG_(strlen)(opts.out_file) + 5);
      VG_(sprintf)(map, "%s.map", opts.out_file);
      opts.map_file = map;
   }
   if (opts.map_file != NULL)
      DCFG_(claim_out_file)("--xray-map-file", opts.map_file);
   DCFG_(set_spool_place)("--xray-out-file", opts.out_file, 2 << 20);
}

static Bool start(void)
{
   if (opts.read_map != NULL)      // for all logs of calls
      read_map();
   if (!opts.on)
      return False;
   set_format();
   if (opts.args)
      check_args();
   claim_files();
   log_number = DCFG_(log_calls)(&DCFG_(flight_calls), opts.args);
   return True;
}

/*--- Files                                                ---*/

static HChar* name_of_log(void)
{
   return DCFG_(name_of_part)("--xray-out-file", opts.out_file, "");
}

/* Return the name of the map.  The caller frees it. */
static HChar* name_of_map(void)
{
   if (opts.map_is_named)
      return DCFG_(name_of_part)("--xray-map-file", opts.map_file, "");
   HChar* log = name_of_log();
   HChar* map = VG_(malloc)("dcfg.xray.map", VG_(strlen)(log) + 5);
   VG_(sprintf)(map, "%s.map", log);
   VG_(free)(log);
   return map;
}

static void write_map(void)
{
   HChar*   name = name_of_map();
   OutFile* file = DCFG_(open_out_file)("--xray-map-file", name,
                                        "--xray-out-file");
   UInt     n    = DCFG_(n_ids)();

   DCFG_(put_elf_map)(DCFG_(text_of_file)(file));
   DCFG_(close_out_file)(file, "%'u function%s", n, n == 1 ? "" : "s");
   VG_(free)(name);
}

static Bool put_thread(Put* out, UInt thread)
{
   const Active*    a;
   ULong            tick;
   const FlightLog* l = DCFG_(log_of_thread)(log_number, thread, &a, &tick);

   return l != NULL && DCFG_(put_flight_log)(out, l, a, tick);
}

/* Write the log.  Return False if there is none. */
static Bool write_log(void)
{
   HChar*   name = name_of_log();
   OutFile* file = DCFG_(open_out_file)("--xray-out-file", name, NULL);
   Put*     out  = DCFG_(text_of_file)(file);
   UInt     n    = 0;
   Bool     good;

   VG_(free)(name);
   DCFG_(set_reader)(file, "dcfg xray", OUT_FILE);
   DCFG_(put_flight_header)(out);
   for (UInt t = 0; t < DCFG_(n_threads)(); t++) {
      ThreadInfo info;
      DCFG_(thread_info)(t, &info);
      if (info.ran && put_thread(out, t))
         n++;
   }
   if (n == 0)
      DCFG_(put_empty_flight)(out);
   if (DCFG_(spool_failed)()) {
      DCFG_(abandon_out_file)(file);
      return False;
   }
   good = DCFG_(close_out_file)(file, "%'llu entries and exits of %u thread%s",
                                DCFG_(n_flight_records)(), n,
                                n == 1 ? "" : "s");
   if (DCFG_(flight_is_limited)())
      DCFG_(remark)("dcfg: the log reached --xray-limit=%s: it has only the %s "
                    "calls\n",
                    opts.limit, opts.keep);
   return good;
}

static void write(const struct _Gathered* g, const HChar* reason)
{
   if (write_log() && opts.map_file != NULL)
      write_map();
}

const Output DCFG_(xray_output) = {
   .name    = "XRay log",
   .options = OPTIONS(options),
   .start   = start,
   .write   = write,
   .mark    = DCFG_(mark_log)
};
