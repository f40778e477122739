/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers of functions in logs. */

#ifndef __DCFG_IDS_H
#define __DCFG_IDS_H

#include "tool/calls/function.h"

/* Restrict logs to functions with these names, or in these objects, before the
   program runs.  NAMES is a list of globs with commas, or NULL for all. Return
   False if a glob is empty. */
Bool DCFG_(choose_functions)(const HChar* option, const HChar* names);
Bool DCFG_(choose_objects)(const HChar* option, const HChar* names);

/* Return whether to log FUNCTION, a number of tool/calls/function.h. */
Bool DCFG_(is_function_wanted)(UInt function);

/* Return FUNCTION's number in logs, from 1, which it gets at the first call. */
UInt DCFG_(id_of_function)(UInt function);

/* Reserve the next number for F, before the program runs. */
void DCFG_(reserve_id)(const Function* f);

/* Return functions by number, 1 .. n_ids. */
UInt            DCFG_(n_ids)(void);
const Function* DCFG_(named)(UInt id);

#endif /* __DCFG_IDS_H */
