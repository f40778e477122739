/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Which part of a program is meant. */

#ifndef DCFG_CMD_SELECT_H
#define DCFG_CMD_SELECT_H

#include "cmd/base/names.h"

/* What the options say that choose a part of a program, the same in all
   subcommands.  Several of them mean what each of them allows. */
typedef
   struct {
      const char* image;        // PATTERN, see image_fit()
      const char* routine;      // WHAT, see find_routines(): all that it means
      const char* function;     // a symbol's name, also with * ? [
      const char* source;       // FILE, FILE:LINE or FILE:LINE-LINE
      uint64_t    thread;
   }
   Select;

#define SELECT_ALL { NULL, NULL, NULL, NULL, NOT_GIVEN }

/* The options, as elements of an array of Opt. */
#define SELECT_IMAGE(s)    { "image", OPT_TEXT, &(s)->image }
#define SELECT_ROUTINE(s)  { "routine", OPT_TEXT, &(s)->routine }
#define SELECT_FUNCTION(s) { "function", OPT_TEXT, &(s)->function }
#define SELECT_SOURCE(s)   { "source", OPT_TEXT, &(s)->source }
#define SELECT_THREAD(s)   { "thread", OPT_COUNT, &(s)->thread }
#define SELECT_PLACES(s)                                              \
   SELECT_IMAGE(s), SELECT_ROUTINE(s), SELECT_FUNCTION(s), SELECT_SOURCE(s)
#define SELECT_OPTIONS(s) SELECT_PLACES(s), SELECT_THREAD(s)

/* And what --help says of SELECT_PLACES. */
#define SELECT_HELP                                                     \
   "  --image=PATTERN    only what is in images whose path or file name\n"  \
   "                     matches; without * ? [ a part of the name is enough,\n" \
   "                     if it is no image's whole name; main: the program\n" \
   "  --routine=WHAT     only this routine: its name (of C++, with or without\n" \
   "                     parameters), an address in it, or #NODE_ID\n"     \
   "  --function=NAME    only blocks that begin in this function; with * ? [,\n" \
   "                     in those whose names match\n"                    \
   "  --source=FILE[:LINE[-LINE]]\n"                                       \
   "                     only blocks with code of these lines\n"

/* The blocks of one process that are meant. */
typedef struct Selection Selection;

/* Says on stderr what nothing in the process matches.  The process has to have
   the thread: need_thread() sees to that. */
Selection* selection_new(const Program* g, const Select* s);
void       selection_free(Selection* sel);

bool       is_everything(const Selection* sel);  // of the places
bool       is_found(const Selection* sel);  // all that the options name
uint32_t   selected_thread(const Selection* sel);  // or DCFG_ALL_THREADS
uint32_t   n_selected(const Selection* sel);    // blocks

/* Of special nodes and what is no node at all: false. */
bool       is_selected(const Selection* sel, uint32_t node);

/* Is any block of the image or routine selected?  Of an image without blocks:
   is the image itself? */
bool       image_selected(const Selection* sel, uint32_t image);
bool       routine_selected(const Selection* sel, uint32_t routine);

/* The same for what only has names; path_fit() is in names.h. */
bool       function_is(const char* symbol, const char* what);
bool       line_matches(const char* file, uint32_t line, const char* what);

#endif /* DCFG_CMD_SELECT_H */
