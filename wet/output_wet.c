
/*--------------------------------------------------------------------*/
/*--- From the tape to a file.                  wet/output_wet.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: the options of a whole execution trace, and the steps from the tape
   to a file.  Handed: superblocks by dcfg_bb.c, images by run/image.c, the
   tape by wet/tape.c.  Taken by: dcfg_main.c.

   The file's layout is told in docs/wet-file.md. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"

#include "arch/guest.h"
#include "base/file.h"
#include "base/stream.h"
#include "dcfg_output.h"
#include "run/exclude.h"
#include "run/gather.h"
#include "run/image.h"
#include "wet/ir_tape.h"
#include "wet/slots.h"
#include "wet/tables.h"
#include "wet/tape.h"

/*------------------------------------------------------------*/
/*--- Options                                              ---*/
/*------------------------------------------------------------*/

static struct {
   Bool         on;
   Bool         values;
   const HChar* out_file;
} opts = {
   .on       = False,
   .values   = False,
   .out_file = "wet.out.%p"
};

static Bool option(const HChar* arg)
{
   return VG_BOOL_CLO(arg, "--wet",             opts.on)
          || VG_BOOL_CLO(arg, "--wet-values",   opts.values)
          || VG_STR_CLO(arg, "--wet-out-file",  opts.out_file);
}

static void usage(void)
{
   VG_(printf)(
"    --wet=no|yes              write a whole execution trace as well [no]\n"
"    --wet-values=no|yes       with the values that instructions compute [no]\n"
"    --wet-out-file=<file>     write it to <file> [wet.out.%%p]\n"
   );
}

static Bool start(void)
{
   if (!opts.on)
      return False;
   if (DCFG_(guest).x86 == NULL || !DCFG_(guest).x86->is_64)
      VG_(fmsg_bad_option)("--wet=yes", "what instructions of this processor "
                           "use is not known to this tool\n");
   DCFG_(claim_out_file)("--wet-out-file", opts.out_file);
   DCFG_(set_spool_place)("--wet-out-file", opts.out_file, 64 << 20);
   if (opts.values) {
      DCFG_(write_values)();
      VG_(clo_vex_control).iropt_register_updates_default
         = VexRegUpdAllregsAtEachInsn;
   }
   DCFG_(claim_slot_lists)();
   DCFG_(load_tape)();
   DCFG_(watch)(&DCFG_(tape_watcher));
   return True;
}

#define VERSION 2

/* What tells the file from others, and its version. */
static void put_head(Put* out)
{
   static const UChar head[12] = { 0x89, 'D', 'C', 'F', 'G', 'W', 'E', 'T',
                                   VERSION };
   DCFG_(put_bytes)(out, head, sizeof(head));
}

/* Returns how many instructions they are together. */
static ULong put_threads(Put* out, const Graph* g)
{
   ULong n = 0;

   DCFG_(put_section)(out, SectionThreads, 8 * (ULong)g->n_threads);
   for (UInt t = 0; t < g->n_threads; t++) {
      UChar bytes[8];
      for (UInt i = 0; i < 8; i++)
         bytes[i] = g->thread_instrs[t] >> 8 * i;
      DCFG_(put_bytes)(out, bytes, 8);
      n += g->thread_instrs[t];
   }
   return n;
}

static void put_tape(Put* out)
{
   const Stream* s = DCFG_(coded_tape)();
   UChar bytes[16384];
   ULong at = 0;
   UInt  n;

   DCFG_(put_section)(out, SectionTape, DCFG_(stream_length)(s));
   while ((n = DCFG_(read_stream)(s, at, bytes, sizeof(bytes))) > 0) {
      DCFG_(put_bytes)(out, bytes, n);
      at += n;
   }
}

static void write(const struct _Gathered* g, const HChar* reason)
{
   OutFile* file;
   Put*     out;
   ULong    n, bits;

   if (DCFG_(has_tape_gaps)() || DCFG_(excludes_code)()) {
      VG_(umsg)("dcfg: no whole execution trace is written: it needs all that "
                "ran, and some of it was not collected\n");
      return;
   }
   file = DCFG_(open_out_file)("--wet-out-file", opts.out_file, NULL);
   out  = DCFG_(text_of_file)(file);
   put_head(out);
   DCFG_(put_tables)(out);
   n = put_threads(out, g->graph);
   put_tape(out);
   DCFG_(put_section)(out, SectionEnd, 0);
   DCFG_(put_flush)(out);
   bits = n == 0 ? 0 : out->n_bytes * 800 / n;
   if (DCFG_(spool_failed)())
      DCFG_(abandon_out_file)(file);
   else
      DCFG_(close_out_file)(file, "%'llu instructions, %llu.%02llu bits an "
                            "instruction", n, bits / 100, bits % 100);
}

const Output DCFG_(wet_output) = {
   .name   = "whole execution trace",
   .option = option,
   .usage  = usage,
   .start  = start,
   .write  = write
};

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
