/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What dcfg xray shows. */

#ifndef DCFG_CMD_XRAY_VIEWS_H
#define DCFG_CMD_XRAY_VIEWS_H

#include "cmd/base/select.h"
#include "cmd/base/table.h"
#include "cmd/xray/xray_walk.h"

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

bool        xray_is_wanted(const XrayNames* n, uint32_t function);

/* --- xray_stacks.c --- */

/* The different stacks of calls.  Calls deeper than this belong to the one at
   this depth. */
#define XRAY_MAX_STACK 1000

typedef struct XrayStacks XrayStacks;

/* THREAD, by its id, or 0 for all. */
XrayStacks* xray_stacks_new(XrayWatcher* watcher, int32_t thread);
void        xray_stacks_free(XrayStacks* s);

/* The first TOP of them (0: all) by ticks, outermost function first; how many
   there are goes to *N. */
Table*      xray_stacks_table(const XrayStacks* s, const XrayNames* names,
                              uint64_t top, uint64_t* n);

/* For pictures: "main;work;area 17", where 17 is what was not in calls. */
void        xray_stacks_fold(const XrayStacks* s, const XrayNames* names);

/* --- xray_calls.c --- */

/* Each call, printed while the log is read. */
typedef
   struct {
      const XrayNames* names;
      bool             csv;
      int32_t          thread;          // or 0
      uint64_t         from;            // instruction
      uint64_t         most;            // calls of each thread
      int32_t          current;         // at first 0; whose call was last
      uint64_t*        shown;           // calls, by thread
      size_t           n_shown;
   }
   XrayTimeline;

/* TIMELINE stays where it is until the log has been read. */
void        xray_timeline_start(XrayWatcher* watcher, XrayTimeline* timeline);
void        xray_timeline_end(XrayTimeline* timeline);

/* --- xray_diff.c --- */

/* The functions that changed from run A to run B, largest difference first,
   TOP of them.  SHARE: percent that a change must exceed. */
Table*      xray_diff_table(const XrayRun* a, const XrayNames* names_a,
                            const XrayRun* b, const XrayNames* names_b,
                            double share, uint64_t top, bool wide,
                            uint64_t* changes, uint64_t* functions);

#endif /* DCFG_CMD_XRAY_VIEWS_H */
