/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The data of a run's page, which a file for each part writes. */

#ifndef DCFG_CMD_VIEW_H
#define DCFG_CMD_VIEW_H

#include "cmd/builds/builds.h"
#include "cmd/program/inline_view.h"
#include "cmd/program/code.h"
#include "cmd/page/page.h"
#include "cmd/program/functions.h"

/* ViewOld: the older run, A, with which the page compares its run, B. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      const char*        file;
      const char*        trace; // or NULL
      Builds*            builds;        // A is side 0
   }
   ViewOld;

/* RunView: the run that a page shows.  A row is an executed routine, by its
   place in the page's table.  Blocks are numbered by their places in the
   page. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      Functions*         f;
      Code*              code;
      const char*        root;  // images' files are below it; or NULL
      InlineView*        inlined;       // with --inline; or NULL
      const ViewOld*     old;   // or NULL
      const char*        file;
      const char*        trace; // or NULL
      const char*        log;   // an XRay log, or NULL
      const char*        profile;       // a Callgrind profile, or NULL
      bool               recorded;      // calls are those of CALLS, which the
                                        // older run has, too, if there is one
      FILE*              out;   // the page's data
      PageTexts*         texts;
      uint32_t*          rows;  // executed routines, the hottest first
      uint32_t           n_rows;
      uint32_t           n_hot; // the first rows, which have graph and code
      uint32_t*          row;   // by routine: its row, or DCFG_NONE
      uint32_t*          blocks;        // nodes, row after row
      uint32_t           n_blocks;
      uint32_t*          block; // by node: its number, or DCFG_NONE
      uint32_t*          first; // by row: its first block; one element more
   }
   RunView;

/* Write the count N exactly: as a number, or as a text if JavaScript would
   round the number. */
void view_count(FILE* out, uint64_t n);

/* Write N COUNTS as column NAME. */
void view_counts(const RunView* view, const char* name, const uint64_t* counts,
                 size_t n);

/* Write the totals of the run, the threads, images and routines.  The head of
   cmd_view.c describes all data. */
void view_run(const RunView* view);

/* Write the short names of functions and routines whose names are long. */
void view_names(const RunView* view);

/* Write blocks, edges and loops. */
void view_blocks(const RunView* view);

/* Write column NAME of edges: PUT writes the element of each, by its number in
   the graph. */
void view_edge_column(const RunView* view, const char* name,
                      void (*put)(const RunView* view, uint32_t edge,
                                  const void* arg), const void* arg);

/* Layout: runs of Graphviz, which lay out the graphs of the hottest rows.
   view_layout_start() starts them; view_layout_end() waits for them, writes the
   places of blocks and edges, and frees L. */
typedef struct Layout Layout;
Layout* view_layout_start(const RunView* view);
void    view_layout_end(const RunView* view, Layout* l);

/* Write the code of the hottest rows, and the lines of source near it. */
void view_code(const RunView* view);

/* Return the row that has NODE's routine; -1 if there is none. */
int64_t view_row_of(const RunView* view, uint32_t node);

/* Write functions of the source and calls between them.  With a trace, also
   write the functions' inclusive costs and the iterations of loops. */
void view_calls(const RunView* view);

/* Write stacks of calls; nothing without a trace or a log. */
void view_stacks(const RunView* view);

/* Write functions with their inlined copies; nothing without --inline. */
void view_inline(const RunView* view);

/* Write the older run's counts for all parts of the page, and the tables of
   changes; nothing without an older run. */
void view_diff(const RunView* view);

/* Write to OUT where the runs part whose whole execution traces are OLD and WET. */
void view_first(FILE* out, const char* old, const char* wet, const char* root);

#endif /* DCFG_CMD_VIEW_H */
