/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions that change what is collected. */

#ifndef __DCFG_TOGGLE_H
#define __DCFG_TOGGLE_H

#include "pub_tool_basics.h"
#include "tool/base/options.h"

/* The options that name such functions. */
extern const Options DCFG_(toggle_options);

/* PartMaker: carries out the requests of functions: .dump writes the counts so
   far, because of REASON; .zero forgets them. */
typedef
   struct {
      void (*dump)(const HChar* reason);
      void (*zero)(void);
   }
   PartMaker;

/* Prepare, before the program runs.  Return True if calls must be followed. */
Bool DCFG_(start_toggles)(const PartMaker* pm);

/* Are there such functions? */
extern Bool DCFG_(heeds_functions);

/* Are threads, and signal handlers, collected when they begin? */
extern Bool DCFG_(collects_at_start);

/* Write a part when so many superblocks have run; 0: never. */
extern Int DCFG_(dump_every);

/* Return whether heed_entry() and heed_exit() do anything for function F. */
Bool DCFG_(is_heeded)(UInt f);

/* Note that function F is entered while it is not active, or left for the last
   time.  Return True if collecting the thread starts or stops.  AT_END: F is
   left because its thread has ended. */
Bool DCFG_(heed_entry)(UInt f);
Bool DCFG_(heed_exit)(UInt f, Bool at_end);

/* At the end of the run: write for functions that were active when their
   threads ended. */
void DCFG_(end_toggles)(void);

/* At the end of the run: warn about options whose functions were never
   entered. */
void DCFG_(tell_unused_toggles)(void);

#endif /* __DCFG_TOGGLE_H */
