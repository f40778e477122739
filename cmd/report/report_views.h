/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   More that dcfg report shows. */

#ifndef DCFG_CMD_REPORT_VIEWS_H
#define DCFG_CMD_REPORT_VIEWS_H

#include "cmd/program/inline_view.h"
#include "cmd/base/select.h"
#include "cmd/base/table.h"

typedef enum { BY_INSTRS, BY_COUNT, BY_NAME, BY_ADDRESS } Sorting;

typedef struct ReportSection ReportSection;

/* View: the selected part of a process, and the form in which it is shown. */
typedef
   struct {
      const ReportSection* section;     // the present section
      const Program*   g;
      const Selection* selected;
      uint32_t         thread;          // or DCFG_ALL_THREADS
      uint64_t         top;             // rows; 0: all
      uint64_t         total;           // instructions of all images
      Form             form;
      Sorting          sorting;
      size_t           name_width, source_width;
      const char*      trace;           // path, or NULL
      uint32_t         routine;         // argument of --callers or --callees,
                                        // or DCFG_NONE
      const char*      named;           // as the user wrote it, or NULL
      const char*      what;            // the section's argument, if it has one
      InlineView*      inlined;         // with --inline; or NULL
      const char*      root;            // images' files are below it; or NULL
      bool             first;           // the first screen: 80 columns
   }
   View;

/* Return how many of N rows are shown. */
static inline uint32_t n_shown(const View* v, uint32_t n)
{
   return v->top == 0 || v->top > n ? n : (uint32_t)v->top;
}

/* ReportSection: a table with a title; the file of each section defines it. */
struct ReportSection {
   Opt         option;       // asks for it; .to is not set
   const char* name;         // in CSV and JSON
   const char* title;        // in text
   const char* remark;       // behind the title, or ""
   const char* none;         // in place of "No TITLE."; or NULL
   unsigned    place;        // order in the text, ascending
   bool        is_usual;     // shown by default in CSV and JSON
   unsigned    first_rows;   // rows on the first screen; 0: not there
   bool        needs_trace;
   bool        needs_calls;  // a trace, or a graph with calls
   bool        inlines;      // has inlined functions
   bool        of_all;       // has all images, not only the program's own
   int         which;        // selects one, if several share .make()

   /* Return a table of the first rows; *N is the number of all rows. */
   Table* (*make)(const View* v, uint32_t* n);

   /* Return a line for below the table, in text; or NULL.  May be NULL. */
   const char* (*hint)(const Program* g);
};

/* Return whether a function that ran has a name that fits PATTERN. */
bool calls_know(const Program* g, const char* pattern);

/* All sections, in the order of --help and JSON. */
#define REPORT_SECTIONS(ROW)                                               \
   ROW(source_functions) ROW(lines)                                        \
   ROW(loops) ROW(routines) ROW(blocks) ROW(edges) ROW(images)             \
   ROW(branches) ROW(indirect) ROW(callers) ROW(callees)                   \
   ROW(functions) ROW(trips) ROW(inline) ROW(sites)

#define REPORT_SECTION_DECLARATION(name) \
   extern const ReportSection report_section_##name;
REPORT_SECTIONS(REPORT_SECTION_DECLARATION)

#endif /* DCFG_CMD_REPORT_VIEWS_H */
