/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   More that dcfg report shows. */

#ifndef DCFG_CMD_REPORT_VIEWS_H
#define DCFG_CMD_REPORT_VIEWS_H

#include "cmd/base/select.h"
#include "cmd/base/table.h"

/* The first ones are shown if none is asked for. */
typedef
   enum {
      LOOPS, ROUTINES, BLOCKS, EDGES, IMAGES, N_USUAL,
      BRANCHES = N_USUAL, INDIRECT, CALLERS, CALLEES, FUNCTIONS, TRIPS,
      N_SECTIONS
   }
   Section;

/* As programs are told them. */
extern const char* const section_names[N_SECTIONS];

typedef enum { BY_INSTRS, BY_COUNT, BY_NAME, BY_ADDRESS } Sorting;

/* What is shown of a process, and how. */
typedef
   struct {
      const Program*   g;
      const Selection* selected;
      uint32_t         thread;          // or DCFG_ALL_THREADS
      uint64_t         top;             // rows; 0: all
      uint64_t         total;           // instructions, of all images
      Form             form;
      Sorting          sorting;
      size_t           name_width, source_width;
      const char*      trace;           // or NULL
      const char*      routine;         // of --callers, --callees
   }
   View;

/* How many of N rows. */
static inline uint32_t n_shown(const View* v, uint32_t n)
{
   return v->top == 0 || v->top > n ? n : (uint32_t)v->top;
}

/* Each makes a table of the first rows; how many there are goes to *N. */
typedef Table* (*ViewFn)(const View* v, uint32_t* n);

/* --- report_tables.c: the usual sections, hottest first --- */

Table* usual_table(const View* v, Section s, uint32_t* n);

/* --- report_flow.c --- */

/* Conditional branches, by executions: which way they went. */
Table* branches_table(const View* v, uint32_t* n);

/* Indirect jumps and calls, by executions: where they went. */
Table* indirect_table(const View* v, uint32_t* n);

/* Which functions called the one of a routine, and which it called, by calls.
   Stubs of linkage tables are passed over. */
Table* callers_table(const View* v, uint32_t* n);
Table* callees_table(const View* v, uint32_t* n);

/* --- report_trace.c: of these a trace is needed --- */

/* Functions, by instructions with all that they called. */
Table* inclusive_table(const View* v, uint32_t* n);

/* Loops, by instructions: how many iterations each entry had. */
Table* trips_table(const View* v, uint32_t* n);

#endif /* DCFG_CMD_REPORT_VIEWS_H */
