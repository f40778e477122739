/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The last part of a recording that answers a question. */

#ifndef DCFG_CMD_WINDOW_H
#define DCFG_CMD_WINDOW_H

#include "cmd/base/cmd.h"

/* Window: which part of a recording a question needs. */
typedef
   struct {
      const char* asked;        // value of --window; NULL: not given
      bool        whole;        // the question is of the whole run
      /* Return whether the whole execution trace at PATH answers the question.
         It is called in a process of its own, so it may die instead.  NULL: a
         trace of medium size always does. */
      bool      (*suffices)(const void* arg, const char* path);
      const void* arg;
      bool        answers;      // .suffices prints the answer, too
   }
   Window;

/* Return FILE, or if it is a recording for replays, the whole execution trace of
   the part of it that W needs.  The trace stays beside FILE, for the next
   question.  The text lasts as long as the process.  NULL: .suffices has printed
   the answer. */
const char* window_trace(const char* file, const Window* w);

#define OPT_WINDOW(to)                                                    \
   { "window", OPT_TEXT, to, "N",                                         \
     "of a recording by --record=yes, replay its last N superblocks; all: "  \
     "the whole run [what the question needs]" }

#endif /* DCFG_CMD_WINDOW_H */
