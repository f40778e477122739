/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What dcfg xray shows. */

#ifndef DCFG_CMD_XRAY_VIEWS_H
#define DCFG_CMD_XRAY_VIEWS_H

#include "cmd/base/cmd.h"
#include "cmd/base/select.h"
#include "cmd/base/table.h"
#include "cmd/shared/xray_walk.h"

/* --- xray_names.c --- */

/* The names in a map, which are made when they are needed. */
typedef struct XrayNames XrayNames;

/* MAP may be NULL.  MANGLED: as the linker sees them.  ONLY: which functions
   are meant. */
XrayNames*  xray_names_new(const DcfgXrayMap* map, bool mangled,
                           const Select* only);
void        xray_names_free(XrayNames* n);

/* A function's name, "#ID" if there is none; the same without parameters; its
   object's file name, and "FILE:LINE", or "".  All last until text_forget()
   at least. */
const char* xray_name(const XrayNames* n, uint32_t function);
const char* xray_brief(const XrayNames* n, uint32_t function);
const char* xray_image(const XrayNames* n, uint32_t function);
const char* xray_source(const XrayNames* n, uint32_t function);

/* Say on stderr if no function of the map is in the image, or called so. */
void        xray_say_unknown(const XrayNames* n);

bool        xray_is_wanted(const XrayNames* n, uint32_t function);

/* --- forms --- */

typedef struct XrayForm XrayForm;

/* What is asked for. */
typedef
   struct {
      const XrayForm* as;
      Form        form;
      bool        only_check, per_thread, wide, mangled;
      uint64_t    thread;       // by its id, or 0
      Select      what;
      uint64_t    top, limit;
      uint64_t    from, calls;  // of calls: instruction, most of each thread
      const char* log;
      const char* map;          // or NULL
   }
   XrayShow;

/* XrayForm: what a log can be shown as; the file of each defines it. */
struct XrayForm {
   OptionChoice choice;         // of --as
   const char* rows;            // of a table: "functions"; or NULL
   bool        for_programs;    // nothing else goes to the standard output
   /* What watches the log while it is read: fills WATCHER, and returns what the
      others get as STATE.  Or NULL. */
   void*     (*begin)(const XrayShow* s, const XrayNames* names,
                      XrayWatcher* watcher);
   /* The table when it has been read, to be freed; how many rows there would be
      with --top=0 goes to *N.  Or NULL. */
   Table*    (*table)(const XrayShow* s, void* state, XrayRun* run,
                      const XrayNames* names, uint64_t* n);
   /* Print what is no table.  Or NULL. */
   void      (*write)(void* state, const XrayNames* names);
   void      (*end)(void* state);
};

/* All forms, a row each; the first is shown without --as. */
#define XRAY_FORMS(ROW) ROW(functions) ROW(stacks) ROW(folded) ROW(calls)

#define XRAY_FORM_DECLARATION(name) extern const XrayForm xray_form_##name;
XRAY_FORMS(XRAY_FORM_DECLARATION)

/* Instructions of the threads that are asked for, in xray_functions.c. */
uint64_t    xray_total(const XrayShow* s, const XrayRun* run);

/* --- xray_diff.c --- */

/* The functions that changed from run A to run B, largest difference first,
   TOP of them.  SHARE: percent that a change must exceed. */
Table*      xray_diff_table(const XrayRun* a, const XrayNames* names_a,
                            const XrayRun* b, const XrayNames* names_b,
                            double share, uint64_t top, bool wide,
                            uint64_t* changes, uint64_t* functions);

#endif /* DCFG_CMD_XRAY_VIEWS_H */
