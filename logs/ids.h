/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The functions of an XRay log, by number. */

#ifndef __DCFG_IDS_H
#define __DCFG_IDS_H

#include "calls/function.h"

/* Before the program runs: only functions with these names, or in these
   objects, are wanted; lists of globs with commas between, or NULL for
   all.  Returns False if one of the globs is empty. */
Bool DCFG_(choose_functions)(const HChar* option, const HChar* names);
Bool DCFG_(choose_objects)(const HChar* option, const HChar* names);

/* Is FUNCTION, a number of calls/function.h, wanted? */
Bool DCFG_(is_function_wanted)(UInt function);

/* Its number in the log, from 1 up, given to it when this is first asked. */
UInt DCFG_(id_of_function)(UInt function);

/* The number that was given to F next, before the program ran. */
void DCFG_(reserve_id)(const Function* f);

/* Functions by number, 1 .. n_ids. */
UInt            DCFG_(n_ids)(void);
const Function* DCFG_(named)(UInt id);

#endif /* __DCFG_IDS_H */
