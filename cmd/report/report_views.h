/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   More that dcfg report shows. */

#ifndef DCFG_CMD_REPORT_VIEWS_H
#define DCFG_CMD_REPORT_VIEWS_H

#include "cmd/inline/inline_view.h"
#include "cmd/base/table.h"

typedef enum { BY_INSTRS, BY_COUNT, BY_NAME, BY_ADDRESS } Sorting;

typedef struct ReportSection ReportSection;

/* View: the selection of a process that is shown, and its form. */
typedef
   struct {
      const ReportSection* section;     // the section in work
      const Program*   g;
      const Selection* selected;
      uint32_t         thread;          // or DCFG_ALL_THREADS
      uint64_t         top;             // rows; 0: all
      uint64_t         total;           // instructions, of all images
      Form             form;
      Sorting          sorting;
      size_t           name_width, source_width;
      const char*      trace;           // or NULL
      uint32_t         routine;         // from --callers, --callees; or
                                        // DCFG_NONE
      const char*      what;            // text of an option that may have one
      InlineView*      inlined;         // with --inline; or NULL
   }
   View;

/* How many of N rows. */
static inline uint32_t n_shown(const View* v, uint32_t n)
{
   return v->top == 0 || v->top > n ? n : (uint32_t)v->top;
}

/* ReportSection: what dcfg report shows under one title; the file of each
   defines it. */
struct ReportSection {
   Opt         option;       // asks for it; .to is not set
   const char* name;         // as programs are told it
   const char* title;        // as people are
   const char* remark;       // behind the title, or ""
   unsigned    place;        // sections stand in the text by ascending places
   bool        is_usual;     // shown if none is asked for
   bool        needs_trace;
   bool        inlines;      // inlined functions are in it
   bool        of_all;       // images that are not the program's, too
   int         which;        // selects one, if .make() is shared

   /* Makes a table of the first rows; how many there are goes to *N. */
   Table* (*make)(const View* v, uint32_t* n);
};

/* All sections: a row each, as --help and JSON have them. */
#define REPORT_SECTIONS(ROW)                                               \
   ROW(loops) ROW(routines) ROW(blocks) ROW(edges) ROW(images)             \
   ROW(branches) ROW(indirect) ROW(callers) ROW(callees)                   \
   ROW(functions) ROW(trips) ROW(inline) ROW(sites)

#define REPORT_SECTION_DECLARATION(name) \
   extern const ReportSection report_section_##name;
REPORT_SECTIONS(REPORT_SECTION_DECLARATION)

#endif /* DCFG_CMD_REPORT_VIEWS_H */
