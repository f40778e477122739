/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The output of uftrace's directory. */

/* Owns: the options of uftrace's directory.  Handed: threads by
   tool/run/thread.c. */

#include "pub_tool_basics.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

#include "tool/files/file.h"
#include "tool/files/spool_file.h"
#include "tool/files/stream.h"
#include "tool/dcfg_output.h"
#include "tool/calls/active.h"
#include "tool/uftrace/uftrace.h"

static Bool         on;
static const HChar* out_dir = "uftrace.data";

static UInt log_number;      // its number in tool/calls/active.h

static const Option options[] = {
   OPTION_BOOL("--uftrace", on, "also write a directory for uftrace"),
   OPTION_TEXT("--uftrace-out-dir", out_dir, "<dir>", "the name of the "
                                                      "directory")
};

static Bool start(void)
{
   const HChar* wrong;

   if (!on)
      return False;
   wrong = DCFG_(why_no_name)(out_dir);
   if (wrong != NULL) {
      VG_(fmsg)("--uftrace-out-dir=%s: %s\n", out_dir, wrong);
      VG_(exit)(1);
   }
   DCFG_(claim_uftrace)("--uftrace-out-dir", out_dir);
   DCFG_(set_spool_place)("--uftrace-out-dir", out_dir, 2 << 20);
   log_number = DCFG_(log_calls)(&DCFG_(uftrace_calls), False);
   return True;
}

static void write(const struct _Gathered* g, const HChar* reason)
{
   HChar* dir = DCFG_(directory_of_part)(out_dir);

   DCFG_(write_uftrace)("--uftrace-out-dir", dir, log_number);
   VG_(free)(dir);
}

const Output DCFG_(uftrace_output) = {
   .name    = "directory for uftrace",
   .options = OPTIONS(options),
   .start   = start,
   .write   = write
};
