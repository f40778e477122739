/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The data of a slice's page. */

#ifndef DCFG_CMD_SLICE_PAGE_H
#define DCFG_CMD_SLICE_PAGE_H

#include "cmd/page/page.h"
#include "cmd/page/page_json.h"
#include "cmd/slice/slice_views.h"

/* PageInstr: what is known of an instruction that was executed. */
typedef
   struct {
      DcfgWetInstr is;
      uint32_t     instr;       // its number
      uint32_t     file, line;  // in the page
      bool         in_slice;
   }
   PageInstr;

/* SlicePage: a slice, on its way into a page. */
typedef
   struct {
      const SliceView* v;
      const DcfgSlice* s;
      FILE*            out;     // the page's data
      PageInstr*       places;  // by source and line; last those without
      uint32_t         n_places;
      uint32_t*        number;  // by instruction: its number in the page
      const char*      program; // the program's file, or NULL
      bool             forward;
   }
   SlicePage;

/* The slice's page as the guest of another one. */
extern const Page slice_guest_page;

/* Write the data of the slice's page to OUT, as a JSON object. */
void slice_page_data(const SliceView* v, FILE* out);

/* The node that is number T in order of time. */
static inline uint32_t page_node(const SlicePage* p, uint32_t t)
{
   return p->forward ? t : p->s->n_nodes - 1 - t;
}

/* Write the columns of instances and of what they used, with names, values and
   calls.  The head of slice_html.c describes them. */
void page_instances(const SlicePage* p);

#endif /* DCFG_CMD_SLICE_PAGE_H */
