/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What dcfg trace shows a thread's way as. */

#ifndef DCFG_CMD_TRACE_VIEWS_H
#define DCFG_CMD_TRACE_VIEWS_H

#include "cmd/base/names.h"
#include "cmd/base/select.h"

/* Show: what is shown of a process, and how far that is. */
typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      bool               csv;
      uint32_t           thread;
      uint64_t           position;      // before the edge's source
      const char**       names;         // by node; made when needed
      const char**       sources;
      Selection*         sel;
      bool*              routines;      // which are selected; NULL: all
      void*              own;           // of the form, or NULL
   }
   Show;

/* TraceForm: what edges are shown as; the file of each defines it. */
typedef
   struct {
      OptionChoice choice;              // of --as
      const char*  csv_header;
      const char*  header;              // above what is shown of a thread

      /* Is E shown, whose target nobody selected?  NULL: no. */
      bool (*wants)(const Show* s, const DcfgEdge* e);

      /* E is the first edge of a thread that is looked at in the middle of its
         run.  NULL: nothing is shown of that. */
      void (*begin)(Show* s, const DcfgEdge* e);

      void (*show)(Show* s, const DcfgEdge* e);

      /* The thread's last edge was shown.  NULL: nothing is left. */
      void (*end)(Show* s);

      /* Frees .own.  NULL: there is none. */
      void (*forget)(Show* s);
   }
   TraceForm;

/* All forms: a row each, the first is what is shown without --as. */
#define TRACE_FORMS(ROW) ROW(edges) ROW(blocks) ROW(calls)

#define TRACE_FORM_DECLARATION(name) extern const TraceForm trace_form_##name;
TRACE_FORMS(TRACE_FORM_DECLARATION)

/* --- trace_names.c: what a node is called, and where its source is; both are the
   command's --- */

const char* name_of(Show* s, uint32_t node);
const char* source_of(Show* s, uint32_t node);

#endif /* DCFG_CMD_TRACE_VIEWS_H */
