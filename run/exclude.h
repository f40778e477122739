/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Parts of the code: what to leave out. */

#ifndef __DCFG_EXCLUDE_H
#define __DCFG_EXCLUDE_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "base/options.h"
#include "base/port.h"

/* The options that say what to leave out. */
extern const Options DCFG_(exclude_options);

/* Before the program runs.  What is wrong with the options is told, and
   ends the tool. */
void DCFG_(start_excluding)(void);

/* Is anything left out? */
Bool DCFG_(excludes_code)(void);

/* Is the instruction at A, of code that is about to be translated? */
Bool DCFG_(is_excluded)(Addr a);

/* The number of IN's first instruction that is left out where its first one
   is not, or the other way round; or 0. */
UInt DCFG_(inner_border)(const IRSB* in);

/* At the end: say which globs fitted nothing. */
void DCFG_(tell_unused_globs)(void);

#endif /* __DCFG_EXCLUDE_H */
