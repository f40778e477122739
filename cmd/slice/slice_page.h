/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The data of a slice's page. */

#ifndef DCFG_CMD_SLICE_PAGE_H
#define DCFG_CMD_SLICE_PAGE_H

#include "cmd/page/page.h"
#include "cmd/slice/slice_views.h"

/* PageInstr: an executed instruction of the trace. */
typedef
   struct {
      DcfgWetInstr is;
      uint32_t     instr;       // its number
      uint32_t     file, line;  // in the page
      bool         in_slice;
   }
   PageInstr;

/* SlicePage: a slice, and the data for its page. */
typedef
   struct {
      const SliceView* v;
      const DcfgSlice* s;
      FILE*            out;     // the page's data
      PageInstr*       places;  // by source and line; without a source last
      uint32_t         n_places;
      uint32_t*        number;  // by instruction: its number in the page
      const char*      program; // the program's file, or NULL
      bool             forward;
   }
   SlicePage;

/* Page of a slice for a page of another command. */
extern const Page slice_guest_page;

/* Write the data of the slice's page to OUT, as a JSON object. */
void slice_page_data(const SliceView* v, FILE* out);

/* Return the node that is number T in order of time. */
static inline uint32_t page_node(const SlicePage* p, uint32_t t)
{
   return p->forward ? t : p->s->n_nodes - 1 - t;
}

/* Write the columns of instances and of their inputs, with names, values and
   callers.  The head of slice_html.c describes them. */
void page_instances(const SlicePage* p);

#endif /* DCFG_CMD_SLICE_PAGE_H */
