/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The forms of dcfg trace. */

#ifndef DCFG_CMD_TRACE_VIEWS_H
#define DCFG_CMD_TRACE_VIEWS_H

#include "cmd/base/names.h"
#include "cmd/base/select.h"

/* Show: the options, and the present place in a thread's trace. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      bool               csv;
      uint32_t           thread;
      uint64_t           position;      // instructions before the edge's source
      const char**       names;         // for each node; made at the first use
      const char**       sources;
      Selection*         sel;
      bool*              routines;      // for each routine: is it selected?
                                        // NULL: all
      void*              own;           // state of the form, or NULL
   }
   Show;

/* TraceForm: a form of a trace, defined in a file of its own. */
typedef
   struct {
      OptionChoice choice;              // for --as
      const char*  csv_header;
      const char*  header;              // above a thread's lines

      /* Return whether to show E although its target is not selected. NULL:
         no. */
      bool (*wants)(const Show* s, const DcfgEdge* e);

      /* E is the first edge of a thread when output begins in the middle of its
         run.  NULL: show nothing. */
      void (*begin)(Show* s, const DcfgEdge* e);

      void (*show)(Show* s, const DcfgEdge* e);

      /* The thread's last edge was shown.  NULL: nothing is left. */
      void (*end)(Show* s);

      /* Free .own.  NULL: there is none. */
      void (*forget)(Show* s);
   }
   TraceForm;

/* All forms, one in a row; the first is the default of --as. */
#define TRACE_FORMS(ROW) ROW(edges) ROW(blocks) ROW(calls)

#define TRACE_FORM_DECLARATION(name) extern const TraceForm trace_form_##name;
TRACE_FORMS(TRACE_FORM_DECLARATION)

/* --- trace_names.c: the name and the source place of a node, which the command
   owns --- */

const char* name_of(Show* s, uint32_t node);
const char* source_of(Show* s, uint32_t node);

#endif /* DCFG_CMD_TRACE_VIEWS_H */
