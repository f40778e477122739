/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Parts of a run: when to collect. */

#ifndef __DCFG_REGION_H
#define __DCFG_REGION_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "base/options.h"

/* The options that say when to collect. */
extern const Options DCFG_(region_options);

/* Before the program runs.  What is wrong with the options is told, and
   ends the tool. */
void DCFG_(start_regions)(void);

/* The program or a debugger asks to collect from now on, or not to.  No
   thread is in generated code.  Returns False if that was so already. */
Bool DCFG_(collect)(Bool on);

/* What is to be translated in place of IN, which is jumped to at ENTRY and
   OUT has been made of, so that regions begin and end where they should;
   OUT itself if none does in it. */
IRSB* DCFG_(watch_places)(IRSB* in, IRSB* out, Addr entry,
                          const VexGuestLayout* layout, IRType word_ty);

/* IN shall be left before an instruction behind its first one, where a region
   may begin or end, or code that is left out: returns what is to be
   translated in place of it, which has it translated anew, up to there; or
   NULL. */
IRSB* DCFG_(cut_before_place)(IRSB* in, Addr entry,
                              const VexGuestLayout* layout, IRType word_ty);

/* At the end: say which of the options' places were never reached. */
void DCFG_(tell_missed_places)(void);

/* For 'vgdb status'. */
const HChar* DCFG_(collecting_text)(void);

#endif /* __DCFG_REGION_H */
