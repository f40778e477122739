/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Excluded code: parts of the program to leave out. */

#ifndef __DCFG_EXCLUDE_H
#define __DCFG_EXCLUDE_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "tool/base/options.h"
#include "format/port.h"

/* The options that exclude code. */
extern const Options DCFG_(exclude_options);

/* Prepare, before the program runs.  An error in the options is reported and
   ends the tool. */
void DCFG_(start_excluding)(void);

/* Return whether any code is excluded. */
Bool DCFG_(excludes_code)(void);

/* Return whether the instruction at A, which is about to be translated, is
   excluded. */
Bool DCFG_(is_excluded)(Addr a);

/* Return the number of IN's first instruction that differs in this from IN's
   first one; or 0. */
UInt DCFG_(inner_border)(const IRSB* in);

#endif /* __DCFG_EXCLUDE_H */
