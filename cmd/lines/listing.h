/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Code that was executed, with counts, as text. */

#ifndef DCFG_CMD_LISTING_H
#define DCFG_CMD_LISTING_H

#include "cmd/base/select.h"
#include "cmd/program/inlined.h"
#include "cmd/program/lines.h"

/* CodeListing: what is listed, and what was printed last. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      Code*              code;
      Selection*         selected;      // the caller's
      uint32_t           thread;
      bool               bytes;         // show bytes of instructions?
      /* The present block: */
      uint32_t           node;
      uint64_t           executions;
      uint32_t           line, file;    // last shown; DCFG_NONE: none
      Inlined*           inlined;       // NULL: without --inline
      uint32_t           scope;         // the scope shown last
      uint32_t           routine;       // whose heading was shown last; at
                                        // first DCFG_NONE - 1
      uint64_t           total;         // instructions of that routine
      SourceReader       source;
   }
   CodeListing;

/* Print block NODE, and before it the heading of its routine, if that is another
   than the last one's. */
void listing_block(CodeListing* l, uint32_t node);

/* Return instruction I of block .node: its addresses and text, and where it
   leads to.  USED: columns of the line before it. */
const char* listing_instr(CodeListing* l, const Instr* i, size_t used);

/* Free what the listing opened itself. */
void listing_close(CodeListing* l);

#endif /* DCFG_CMD_LISTING_H */
