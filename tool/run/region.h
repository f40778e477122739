/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Regions: parts of a run that are collected. */

#ifndef __DCFG_REGION_H
#define __DCFG_REGION_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "tool/base/options.h"

/* The options that say when to collect. */
extern const Options DCFG_(region_options);

/* In a replay: the run has so many superblocks.  Call it before the next one. */
void DCFG_(set_run_length)(ULong superblocks);

/* Return the number of the superblock before which a region that is counted from
   the run's end begins or ends; ~0: none is the next one.  Begin or end it there:
   no thread is in generated code. */
ULong DCFG_(next_change)(void);
void  DCFG_(make_change)(void);

/* Return whether all regions are counted from the run's end. */
Bool  DCFG_(counts_from_end)(void);

/* The run is recorded or replayed, by numbers of superblocks: no superblock is cut
   from now on, so places count when the superblock begins that has them.  AGAIN
   is called when a superblock has begun that begins once more. */
void DCFG_(keep_superblocks)(void (*again)(void));

/* Prepare, before the program runs.  An error in the options is reported and
   ends the tool. */
void DCFG_(start_regions)(void);

/* Collect from now on, or not, as the program or a debugger asks.  No thread is
   in generated code.  Return False if nothing changes. */
Bool DCFG_(collect)(Bool on);

/* Return the code to translate in place of IN, which is jumped to at ENTRY and
   was instrumented as OUT: OUT with the code that begins and ends regions, or
   OUT itself. */
IRSB* DCFG_(watch_places)(IRSB* in, IRSB* out, Addr entry,
                          const VexGuestLayout* layout, IRType word_ty);

/* If IN must be cut before an inner instruction, where a region can begin or
   end or excluded code begins or ends: return code that has IN translated
   again, up to there.  Otherwise NULL. */
IRSB* DCFG_(cut_before_place)(IRSB* in, Addr entry,
                              const VexGuestLayout* layout, IRType word_ty);

/* In a forked child: forget how often places were to be reached in the whole
   run, which is the parent's. */
void DCFG_(forget_totals)(void);

/* At the end: report the places of options that were not reached as often as
   the options say. */
void DCFG_(tell_missed_places)(void);

/* Return a text for 'vgdb status'. */
const HChar* DCFG_(collecting_text)(void);

#endif
