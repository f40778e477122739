/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions that change what is collected. */

#ifndef __DCFG_TOGGLE_H
#define __DCFG_TOGGLE_H

#include "pub_tool_basics.h"
#include "base/options.h"

/* The options that name such functions. */
extern const Options DCFG_(toggle_options);

/* What functions can ask for: that what ran so far be written, because of
   REASON, or just be forgotten. */
typedef
   struct {
      void (*dump)(const HChar* reason);
      void (*zero)(void);
   }
   PartMaker;

/* Before the program runs.  Returns True if calls have to be followed. */
Bool DCFG_(start_toggles)(const PartMaker* pm);

/* Are there such functions? */
extern Bool DCFG_(heeds_functions);

/* Are threads, and signal handlers, collected when they begin? */
extern Bool DCFG_(collects_at_start);

/* Function number F is entered while it is not active, or left for the last
   time.  Returns True if that turns the thread's collection over.  AT_END:
   because its thread has ended. */
Bool DCFG_(heed_entry)(UInt f);
Bool DCFG_(heed_exit)(UInt f, Bool at_end);

/* At the end: write what functions wanted that were active when their threads
   ended, and say which of the options' functions were never entered. */
void DCFG_(end_toggles)(void);

#endif /* __DCFG_TOGGLE_H */
