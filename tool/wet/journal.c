/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The journal: what a killed process leaves. */

/* Owns: the rows in the spool file that are needed to read its tape
   (docs/dev/wet-file.md describes them).  Handed: the tape by
   tool/wet/tape.c, superblocks by dcfg_bb.c.

   When a chunk has ended, rows are written for what is new since the last
   chunk, and then the chunk.  So everything in the file can be read. */

#include "pub_tool_basics.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#include "tool/arch/guest.h"
#include "tool/base/intern.h"
#include "dcfg_bb.h"
#include "format/wet_journal.h"
#include "tool/run/image.h"
#include "tool/wet/closure.h"
#include "tool/files/spool_file.h"
#include "tool/wet/journal.h"
#include "tool/wet/packed.h"
#include "tool/wet/slots.h"
#include "tool/wet/tables.h"
#include "tool/wet/usage_table.h"

static const HChar* journal_opt;       // NULL: there is no journal
static const HChar* journal_format;
static UInt         journal_version;   // the file's
static Stream*      rows;              // NULL: none yet
static UInt         n_images, n_sbs;   // images and superblocks that have rows
static XArray*      sources;           // const HChar*, interned: files that
                                       // have rows

void DCFG_(keep_journal)(const HChar* opt, const HChar* format, UInt version)
{
   journal_version = version;
   journal_opt    = opt;
   journal_format = format;
}

void DCFG_(end_journal)(Bool parents)
{
   if (rows != NULL)
      DCFG_(delete_stream)(rows);
   rows        = NULL;
   journal_opt = NULL;
   if (!parents)
      DCFG_(unname_spool)();
}

static void add_images(Bytes* b)
{
   for (; n_images < DCFG_(n_images)(); n_images++) {
      ImageInfo info;
      DCFG_(image_info)(n_images, False, &info);
      DCFG_(add_varint)(b, RowImage);
      DCFG_(add_symbols)(b, &info);
      DCFG_(add_text)(b, info.build_id == NULL ? "" : info.build_id);
   }
}

/* Return the number of source file NAME, from 1, and give it a row. */
static UInt source_number(Bytes* b, const HChar* name)
{
   Word n = VG_(sizeXA)(sources);

   for (Word i = n; i-- > 0; )
      if (*(const HChar**)VG_(indexXA)(sources, i) == name)
         return i + 1;
   VG_(addToXA)(sources, &name);
   DCFG_(add_varint)(b, RowSource);
   DCFG_(add_text)(b, name);
   return n + 1;
}

/* Add SB's row to TO, and rows of its source files to B. */
static void add_superblock(Bytes* b, Bytes* to, Superblock* sb)
{
   const SlotList* list = DCFG_(slots_of)(sb);
   UInt            n    = list->at_exit == NULL ? 0 : sb->n_instrs;
   const UChar*    code = list->code;
   Addr            a    = sb->addr;

   DCFG_(add_varint)(to, RowSuperblock);
   DCFG_(add_varint)(to, n);
   if (n == 0)
      return;
   DCFG_(add_varint)(to, sb->image);
   DCFG_(add_varint)(to, a);
   for (UInt k = 0; k < n; k++) {
      const HChar *file, *dir;
      UInt  line = 0, source = 0;
      if (VG_(get_filename_linenum)(VG_(current_DiEpoch)(), a, &file, &dir,
                                    &line))
         source = source_number(b, DCFG_(source_path)(dir, file));
      DCFG_(add_varint)(to, sb->lengths[k]);
      DCFG_(add_bytes)(to, code, sb->lengths[k]);
      DCFG_(add_varint)(to, sb->kinds[k]);
      DCFG_(add_varint)(to, source);
      DCFG_(add_varint)(to, line);
      DCFG_(add_usage_of)(to, code, sb->lengths[k], a);
      code += sb->lengths[k];
      a    += sb->lengths[k];
   }
   DCFG_(add_slots)(to, sb);
}

static void add_unexecuted(Bytes* b, UInt first)
{
   XArray* found = DCFG_(new_unexecuted_code)(first);

   for (Word i = 0; i < VG_(sizeXA)(found); i++) {
      const Unexecuted* u = VG_(indexXA)(found, i);
      DCFG_(add_varint)(b, RowUnexecuted);
      DCFG_(add_varint)(b, u->image);
      DCFG_(add_varint)(b, u->addr);
      DCFG_(add_varint)(b, u->len);
      DCFG_(add_bytes)(b, DCFG_(code_of)(u), u->len);
      DCFG_(add_varint)(b, u->kind);
   }
   VG_(deleteXA)(found);
}

/* Begin the journal, with the state of the process. */
static Bool begin(const Bytes* state)
{
   UChar head[2] = { journal_version, DCFG_(guest).machine };
   Bytes b       = { NULL, 0, 0 };

   if (!DCFG_(name_spool)(journal_opt, journal_format)) {
      journal_opt = NULL;
      return False;
   }
   rows    = DCFG_(new_stream)();
   sources = VG_(newXA)(VG_(malloc), "dcfg.journal.sources", VG_(free),
                        sizeof(const HChar*));
   DCFG_(keep_begin)(rows);
   DCFG_(append_to_stream)(rows, head, sizeof(head));
   DCFG_(add_varint)(&b, RowState);
   DCFG_(add_varint)(&b, state->used);
   DCFG_(add_bytes)(&b, state->bytes, state->used);
   DCFG_(append_to_stream)(rows, b.bytes, b.used);
   VG_(free)(b.bytes);
   return True;
}

void DCFG_(save_tape)(Stream* tape, UInt n_threads, const Bytes* state)
{
   Bytes b = { NULL, 0, 0 }, sbs = { NULL, 0, 0 };
   UInt  first = n_sbs + 1;

   if (journal_opt == NULL || DCFG_(stream_length)(tape) == 0
       || (rows == NULL && !begin(state)))
      return;
   add_images(&b);
   while (n_sbs < DCFG_(n_superblocks)())
      add_superblock(&b, &sbs, DCFG_(superblock)(++n_sbs));
   if (sbs.used > 0) {
      DCFG_(add_bytes)(&b, sbs.bytes, sbs.used);
      add_unexecuted(&b, first);
   }
   DCFG_(add_varint)(&b, RowTape);
   DCFG_(add_varint)(&b, n_threads);
   DCFG_(add_varint)(&b, DCFG_(stream_length)(tape));
   DCFG_(append_to_stream)(rows, b.bytes, b.used);
   if (!DCFG_(save_stream)(rows, JournalRows)
       || !DCFG_(save_stream)(tape, JournalTape))
      DCFG_(end_journal)(False);
   VG_(free)(b.bytes);
   VG_(free)(sbs.bytes);
}
