/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The output of the whole execution trace. */

/* Owns: the options of a whole execution trace, and the steps from the tape
   to a file.  Handed: superblocks by dcfg_bb.c, images by tool/run/image.c,
   the tape by tool/wet/tape.c.

   docs/dev/wet-file.md describes the file. */

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
#include "tool/run/gather.h"
#include "tool/run/image.h"
#include "tool/wet/hooks.h"
#include "tool/wet/tables.h"
#include "tool/wet/slots.h"
#include "tool/wet/tape.h"

/*--- Options                                              ---*/

#define OUT_FILE "wet.out.%p"

static struct {
   Bool         on;
   const HChar* values;      // once an option; NULL: not given
   const HChar* ring;
   const HChar* out_file;
} opts = {
   .on       = False,
   .values   = NULL,
   .ring     = NULL,
   .out_file = OUT_FILE
};

static const Option options[] = {
   OPTION_BOOL("--wet", opts.on, "also write a whole execution trace, which "
               "holds the memory's contents"),
   OPTION_TEXT("--wet-values", opts.values, "yes", NULL),
   OPTION_TEXT("--wet-ring", opts.ring, "<size>",
               "keep only the last <size> bytes of the record, with K, M or G "
               "[all]"),
   OPTION_TEXT("--wet-out-file", opts.out_file, "<file>",
               "write the whole execution trace to <file>")
};

/* Room for a few chunks: each one begins without predictions. */
#define LEAST_RING (1u << 20)

static void set_ring(void)
{
   ULong       size;
   const HChar* why = !DCFG_(parse_size)(opts.ring, &size)
                      ? "no size; a size is such as 500M or 2G"
                      : size < LEAST_RING ? "less than 1M" : NULL;

   if (why != NULL)
      DCFG_FAIL("--wet-ring=%s: it is %s\n", opts.ring, why);
   DCFG_(keep_tape)(size);
}

/* Exit if the options do not go together. */
static void check_options(void)
{
   if (opts.values != NULL && !VG_STREQ(opts.values, "yes"))
      DCFG_FAIL("--wet-values=%s is refused: every question about a trace "
                "needs values, so --wet=yes always records them; leave the "
                "option out\n", opts.values);
   if (!opts.on && (opts.values != NULL || opts.ring != NULL))
      DCFG_FAIL("%s needs --wet=yes\n",
                opts.ring != NULL ? "--wet-ring" : "--wet-values=yes");
   if (opts.values != NULL)
      DCFG_(remark)("dcfg: --wet-values=yes is not needed: --wet=yes always "
                    "records values\n");
}

static Bool start(void)
{
   check_options();
   if (!opts.on)
      return False;
   if (DCFG_(guest).layout == NULL)
      DCFG_FAIL("--wet=yes is not there for this processor: the tool does not "
                "know what its instructions use\n");
   DCFG_(claim_out_file)("--wet-out-file", opts.out_file);
   DCFG_(set_spool_place)("--wet-out-file", opts.out_file, 64 << 20);
   DCFG_(all_registers) = VG_(clo_vex_control).iropt_register_updates_default
                          == VexRegUpdAllregsAtEachInsn;
   VG_(clo_vex_control).iropt_register_updates_default
      = VexRegUpdAllregsAtEachInsn;
   DCFG_(claim_slot_lists)();
   DCFG_(load_tape)();
   if (opts.ring != NULL)
      set_ring();
   else
      DCFG_(keep_journal)("--wet-out-file", opts.out_file);
   DCFG_(watch)(&DCFG_(tape_watcher));
   return True;
}

/* Put the file's magic bytes, version and processor. */
static void put_head(Put* out)
{
   UChar head[WET_HEAD_SIZE] = WET_MAGIC;

   head[WET_VERSION_AT] = WET_VERSION;
   head[WET_MACHINE_AT] = DCFG_(guest).machine;
   DCFG_(put_bytes)(out, head, sizeof(head));
}

/* Put LEFT bytes of the tape that is kept.  Writes begin at multiples of the
   buffer's size: that is cheaper where they share no page of the file. */
static void put_tape(Put* out, const Stream* s, ULong left)
{
   static UChar bytes[sizeof(out->buf)];
   ULong at = DCFG_(tape_begin)();
   UInt  n;

   DCFG_(put_section)(out, SectionTape, left);
   for (; left > 0; left -= n, at += n) {
      n = sizeof(bytes) - (out->n_bytes + out->used) % sizeof(bytes);
      n = left < n ? left : n;
      n = DCFG_(read_stream)(s, at, bytes, n);
      if (n == 0)
         break;
      DCFG_(put_bytes)(out, bytes, n);
   }
}

/* Room for the end of the file, and for other writers. */
#define ROOM_FOR_END (1u << 16)

/* Return the room for the tape in a file that has THERE bytes, and gets MORE
   before the tape. */
static ULong room_for_tape(ULong there, ULong more)
{
   return DCFG_(room_for_copy)(there, more + ROOM_FOR_END);
}

/* Attempt: the result of one attempt to write the file. */
typedef
   struct {
      OutFile* file;
      ULong    n_instrs, n_bytes;
      ULong    tables;       // bytes before the tape
      ULong    length;       // bytes of the tape
   }
   Attempt;

/* Write a file with the tape, ENDED early or not.  At most ROOM bytes are free
   for the tape then. */
static Attempt attempt(const struct _Gathered* g, const Stream* tape,
                       Bool ended, ULong room)
{
   Attempt a   = { DCFG_(open_out_file)("--wet-out-file", opts.out_file,
                                        NULL, True) };
   Put*    out = DCFG_(text_of_file)(a.file);
   RunEnd  open = { EndOpen, 0 };

   DCFG_(set_reader)(a.file, "dcfg wet", OUT_FILE);
   put_head(out);
   a.n_instrs = DCFG_(put_tables)(out, g, DCFG_(begins_late)(), ended);
   DCFG_(put_state)(out, DCFG_(tape_state)(), ended ? &open : &g->end);
   DCFG_(put_flush)(out);
   a.tables = out->n_bytes;
   if (!ended)
      a.length = DCFG_(stream_length)(tape) - DCFG_(tape_begin)();
   else if (DCFG_(spool_failed)())
      a.length = DCFG_(whole_tape)(room_for_tape(a.tables, 0));
   else
      a.length = DCFG_(whole_tape)(room);
   put_tape(out, tape, a.length);
   DCFG_(put_section)(out, SectionEnd, 0);
   DCFG_(put_flush)(out);
   a.n_bytes = out->n_bytes;
   return a;
}

/* A could not be written: write as much as there is room for.  If the tape
   begins late, instances are numbered from the last one back, so the first
   chunks are left out, else the last ones.  Return how many bytes of the tape
   are left out; *A is the file. */
static ULong write_less(const struct _Gathered* g, const Stream* tape,
                        Attempt* a)
{
   ULong room  = room_for_tape(0, a->tables), whole = a->length;
   Bool  late  = DCFG_(begins_late)();

   if (late)
      DCFG_(drop_tape)(room);
   else if (DCFG_(whole_tape)(room) == 0)
      return 0;
   if (late && DCFG_(stream_length)(tape) - DCFG_(tape_begin)() > room)
      return 0;
   DCFG_(replace_out_file)(a->file);
   *a = attempt(g, tape, !late, room);
   return whole - a->length;
}

/* The end of each message about a file that was written. */
#define SECRETS "; it holds the memory's contents"

static void write(const struct _Gathered* g, const HChar* reason)
{
   const Stream* tape;
   ULong         bits, less = 0;
   Bool          ended, good;
   Attempt       a;

   if (DCFG_(has_tape_gaps)() || DCFG_(excludes_code)()) {
      VG_(umsg)("dcfg: no whole execution trace is written: some of the run "
                "was not collected, and the trace needs all of it\n");
      return;
   }
   tape  = DCFG_(coded_tape)();
   ended = DCFG_(spool_failed)();
   a     = attempt(g, tape, ended, 0);
   /* If the tape begins late and has no end, counts of all that ran do not give
      the numbers of its instances. */
   good = !DCFG_(spool_unreadable)() && ended == DCFG_(spool_failed)()
          && !(ended && (a.length == 0 || DCFG_(begins_late)()));
   if (!good) {
      VG_(umsg)("dcfg: no whole execution trace is written: %s\n",
                ended && DCFG_(begins_late)()
                ? "the end of the run is lost, and without it a ring or a part "
                  "has no numbers for its instances"
                : "no part of the record could be kept");
      DCFG_(abandon_out_file)(a.file);
      return;
   }
   if (!ended && !DCFG_(end_out_file)(a.file))
      less = write_less(g, tape, &a);
   bits = a.n_instrs == 0 ? 0 : a.n_bytes * 800 / a.n_instrs;
   if (less > 0 && DCFG_(begins_late)())
      DCFG_(close_out_file)(a.file, "there is no room for all: the last %'llu "
                            "bytes of the record are kept" SECRETS, a.length);
   else if (ended || less > 0)
      DCFG_(close_out_file)(a.file, "it ends early: %'llu bytes of the record "
                            "are kept" SECRETS, a.length);
   else
      DCFG_(close_out_file)(a.file, "%'llu instructions, %llu.%02llu bits an "
                            "instruction" SECRETS, a.n_instrs, bits / 100,
                            bits % 100);
}

const Output DCFG_(wet_output) = {
   .name    = "whole execution trace",
   .options = OPTIONS(options),
   .start   = start,
   .write   = write
};
