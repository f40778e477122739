/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Contexts that options divide further, and functions that they skip. */

#ifndef __DCFG_CONTEXT_H
#define __DCFG_CONTEXT_H

#include "tool/base/options.h"
#include "tool/calls/function.h"

/* The options of Callgrind for it. */
extern const Options DCFG_(context_options);

/* Return the option of this table that was given last, or NULL. */
const HChar* DCFG_(context_option_given)(void);

/* Do contexts depend on more than in DCFG_CONTEXT?  Known when all options have
   been read. */
extern Bool DCFG_(divides_contexts);

/* Return the context of FUNCTION, which runs on CS above frame BOTTOM; or which
   runs where nobody called it. */
struct _CallStack;
UInt DCFG_(divided_context)(const struct _CallStack* cs, UInt function,
                            UInt bottom);
UInt DCFG_(context_of_base)(UInt function);

/* ContextName: what a context is of: .functions are its function and .n - 1
   callers; .level is from 1. */
typedef
   struct {
      const UInt* functions;
      UInt        n;
      UInt        level;
   }
   ContextName;

/* Return the name of CONTEXT.  .functions is valid until the next call. */
ContextName DCFG_(context_name)(UInt context);

/* Return a number above those of all contexts. */
UInt DCFG_(end_of_contexts)(void);

/* Return whether calls of functions of this OBJECT and NAME are skipped: they run
   as a part of their caller. */
Bool DCFG_(skips_function)(const HChar* object, const HChar* name);

#endif
