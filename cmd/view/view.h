/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The data of a run's page. */

#ifndef DCFG_CMD_VIEW_H
#define DCFG_CMD_VIEW_H

#include "cmd/builds/builds.h"
#include "cmd/inline/inline_view.h"
#include "cmd/machine/code.h"
#include "cmd/page/page_json.h"
#include "cmd/shared/functions.h"

/* ViewOld: the older run, A, with which a page compares. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      const char*        file;
      const char*        trace; // or NULL
      Builds*            builds;        // A is side 0
   }
   ViewOld;

/* RunView: a run, on its way into a page.  A row is a routine in the page's
   table; a number of a block is its place in the page. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      Functions*         f;
      Code*              code;
      const char*        root;  // below it are images; or NULL
      InlineView*        inlined;       // with --inline; or NULL
      const ViewOld*     old;   // or NULL
      const char*        file;
      const char*        trace; // or NULL
      const char*        log;   // an XRay log, or NULL
      const char*        profile;       // a Callgrind profile, or NULL
      FILE*              out;   // the page's data
      PageTexts*         texts;
      uint32_t*          rows;  // executed routines, the hottest first
      uint32_t           n_rows;
      uint32_t           n_hot; // so many have graph and code
      uint32_t*          row;   // by routine, or DCFG_NONE
      uint32_t*          blocks;        // nodes, row after row
      uint32_t           n_blocks;
      uint32_t*          block; // by node: its number, or DCFG_NONE
      uint32_t*          first; // by row, and behind the last: its blocks
   }
   RunView;

/* A count, exact however large: a number, or a text if JavaScript would round
   it. */
void view_count(FILE* out, uint64_t n);

/* Write N counts as a column. */
void view_counts(const RunView* v, const char* name, const uint64_t* counts,
                 size_t n);

/* Write what the run is; images; routines.  The head of cmd_view.c describes
   all data. */
void view_run(const RunView* v);

/* Write blocks, edges and loops. */
void view_blocks(const RunView* v);

/* Let Graphviz lay out the graphs of the hottest rows, and write where the
   blocks are, when it has done so. */
typedef struct Layout Layout;
Layout* view_layout_start(const RunView* v);
void    view_layout_end(const RunView* v, Layout* l);

/* Write the code of these, and the sources. */
void view_code(const RunView* v);

/* Write functions of the source, calls between them and, with a trace, what
   they cost with what they called, and iterations of loops. */
void view_calls(const RunView* v);

/* Write stacks of calls; nothing without a trace. */
void view_stacks(const RunView* v);

/* Write functions, inlined or not; nothing without --inline. */
void view_inline(const RunView* v);

/* Write the older run's counts of what the page has, and what has changed;
   nothing without an older run. */
void view_diff(const RunView* v);

#endif /* DCFG_CMD_VIEW_H */
