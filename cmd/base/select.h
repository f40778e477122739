/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Selecting a part of a program. */

#ifndef DCFG_CMD_SELECT_H
#define DCFG_CMD_SELECT_H

#include "cmd/base/names.h"

/* Select: the options that select a part of a program, the same in all
   subcommands.  With several options, all of them must allow it. */
typedef
   struct {
      const char* image;        // a PATTERN, see image_fit()
      const char* routine;      // routines, see find_routines()
      const char* function;     // a symbol's name, * ? [ allowed
      const char* source;       // FILE, FILE:LINE or FILE:LINE-LINE
      uint64_t    thread;
      bool        own;          // only the program's own images: names.h
      bool        inlined;      // may .function be inlined? piece_select.h
      bool        quiet;        // the caller uses need_found() afterwards
   }
   Select;

#define SELECT_ALL { NULL, NULL, NULL, NULL, NOT_GIVEN, false, false, \
                     false }

/* The options, as rows of an Opt table. */
#define SELECT_IMAGE(s)                                                  \
   { "image", OPT_TEXT, &(s)->image, "PATTERN",                          \
     "only images whose path or file name matches; a PATTERN without "    \
     "* ? [ matches a whole name, else a part of one; main: the program" }
#define SELECT_ROUTINE(s)                                                \
   { "routine", OPT_TEXT, &(s)->routine, "WHAT",                         \
     "only this routine: its name (of C++, with or without parameters), " \
     "an address in it, or #NODE_ID" }
#define SELECT_FUNCTION(s)                                               \
   { "function", OPT_TEXT, &(s)->function, "NAME",                       \
     "only blocks that begin in this function; a NAME with * ? [ "        \
     "chooses all functions that match" }
#define SELECT_SOURCE(s)                                                 \
   { "source", OPT_TEXT, &(s)->source, "FILE[:LINE[-LINE]]",             \
     "only blocks with code of these lines" }
#define SELECT_THREAD(s)                                                 \
   { "thread", OPT_COUNT, &(s)->thread, "N",                             \
     "only what thread N did, counted from 0 [all together]" }
/* For commands that show the program's own images unless something is selected:
   see select_own(). */
#define SELECT_EVERYTHING(all)                                           \
   { "all", OPT_FLAG, all, NULL,                                         \
     "also libraries [only the program, unless something is selected]" }
#define SELECT_PLACES(s)                                                 \
   SELECT_IMAGE(s), SELECT_ROUTINE(s), SELECT_FUNCTION(s), SELECT_SOURCE(s)
#define SELECT_OPTIONS(s) SELECT_PLACES(s), SELECT_THREAD(s)

/* Selection: the selected blocks of one process. */
typedef struct Selection Selection;

/* Make a selection.  Options that match nothing in the process are reported on
   stderr.  The thread must exist: see need_thread(). */
Selection* selection_new(const Program* g, const Select* s);
void       selection_free(Selection* sel);

/* Return whether S selects a place, by an option of SELECT_PLACES(). */
bool       names_place(const Select* s);

/* Set .own unless ALL is set, or S selects a place. */
void       select_own(Select* s, bool all);

bool       is_everything(const Selection* sel);  // are all places selected?
bool       is_found(const Selection* sel);  // has each option matched
                                            // something, and all together?

/* Exit, after a message, if S selects nothing in any of N runs G, whose
   selections are SEL.  If it selects something in one run only, say what the
   other one does not have. */
void       need_found(const Program* g, Selection* const* sel, int n,
                      const Select* s);
uint32_t   selected_thread(const Selection* sel);  // or DCFG_ALL_THREADS
uint32_t   n_selected(const Selection* sel);    // number of blocks

/* Return whether a node is selected: false for special nodes, and for no
   node. */
bool       is_selected(const Selection* sel, uint32_t node);

/* Select NODE, too, because it has code of .function. */
void       select_node(Selection* sel, uint32_t node);

/* Say which option of S selects nothing. */
void       say_unfound(const Program* g, const Select* s);

/* Return whether a block of the image or routine is selected; for an image
   without blocks, whether the image is. */
bool       image_selected(const Selection* sel, uint32_t image);
bool       routine_selected(const Selection* sel, uint32_t routine);

/* Return whether a symbol matches the value of --function; how well a line
   matches that of --source. */
bool       function_is(const char* symbol, const char* what);
PathFit    line_fit(const char* file, uint32_t line, const char* what);

#endif /* DCFG_CMD_SELECT_H */
