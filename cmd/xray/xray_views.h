/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The forms of dcfg xray. */

#ifndef DCFG_CMD_XRAY_VIEWS_H
#define DCFG_CMD_XRAY_VIEWS_H

#include "cmd/base/cmd.h"
#include "cmd/base/select.h"
#include "cmd/base/table.h"
#include "cmd/calls/xray_walk.h"

/*--- xray_calls.c                                         ---*/

/* XrayNames: the names in a map, made at the first use. */
typedef struct XrayNames XrayNames;

/* Begin names of MAP, which may be NULL.  MANGLED: as the linker has them.
   ONLY: the selected functions. */
XrayNames*  xray_names_new(const DcfgXrayMap* map, bool mangled,
                           const Select* only);
void        xray_names_free(XrayNames* names);

/* Exit, after a message, if no function of N maps is selected.  If one of two
   maps has none, say so.  Without a map, any function is. */
void        xray_need_wanted(const XrayNames* const* names, int n);

/*--- forms                                                ---*/

typedef struct XrayForm XrayForm;

/* XrayShow: the options. */
typedef
   struct {
      const XrayForm* as;
      Form        form;
      bool        only_check, per_thread, wide, mangled;
      uint64_t    thread;       // an id; 0: all
      Select      what;
      uint64_t    top, limit;
      uint64_t    from, calls;  // for calls: first instruction, number for each
                                // thread
      const char* log;
      const char* map;          // NULL: no map
   }
   XrayShow;

/* XrayForm: a form of a log, defined in xray_calls.c. */
struct XrayForm {
   OptionChoice choice;         // for --as
   const char* rows;            // rows of the table: "functions"; or NULL
   bool        for_programs;    // is nothing else printed to the standard
                                // output?
   /* Fill WATCHER, which watches the log while it is read.  Return the STATE
      for the others.  Or NULL. */
   void*     (*begin)(const XrayShow* s, const XrayNames* names,
                      XrayWatcher* watcher);
   /* Return the table after reading; the caller frees it.  *N is the number of
      rows with --top=0.  Or NULL. */
   Table*    (*table)(const XrayShow* s, void* state, XrayRun* run,
                      const XrayNames* names, uint64_t* n);
   /* Print a form that is no table.  Or NULL. */
   void      (*write)(void* state, const XrayNames* names);
   void      (*end)(void* state);
};

/* All forms, one in a row; the first is the default of --as. */
#define XRAY_FORMS(ROW) ROW(functions) ROW(stacks) ROW(folded) ROW(calls) \
   ROW(chrome)

#define XRAY_FORM_DECLARATION(name) extern const XrayForm xray_form_##name;
XRAY_FORMS(XRAY_FORM_DECLARATION)

/* Return the instructions of the selected threads. */
uint64_t    xray_total(const XrayShow* show, const XrayRun* run);

/* Return the table of functions that changed from run A to run B: the TOP
   largest differences.  SHARE: percent that a change must exceed. */
Table*      xray_diff_table(const XrayRun* a, const XrayNames* names_a,
                            const XrayRun* b, const XrayNames* names_b,
                            double share, uint64_t top, bool wide,
                            uint64_t* changes, uint64_t* functions);

#endif /* DCFG_CMD_XRAY_VIEWS_H */
