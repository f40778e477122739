/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Contexts that options divide further. */

#ifndef __DCFG_CONTEXT_H
#define __DCFG_CONTEXT_H

#include "tool/base/options.h"
#include "tool/calls/stack_state.h"

/* The options of Callgrind for it. */
extern const Options DCFG_(context_options);

/* Return the option of this table that was given last, or NULL. */
const HChar* DCFG_(context_option_given)(void);

/* Do contexts depend on more than in DCFG_CONTEXT?  Known when all options have
   been read. */
extern Bool DCFG_(divides_contexts);

/* Return the context of FUNCTION, which runs on CS above frame BOTTOM; or which
   runs where nobody called it. */
UInt DCFG_(divided_context)(const CallStack* cs, UInt function, UInt bottom);
UInt DCFG_(context_of_base)(UInt function);

/* Return the context of FUNCTION, which runs above frame BOTTOM. */
static inline UInt DCFG_(context_on_stack)(const CallStack* cs, UInt function,
                                           UInt bottom)
{
   return DCFG_(divides_contexts)
          ? DCFG_(divided_context)(cs, function, bottom)
          : DCFG_CONTEXT(function, cs->active[function] > 1);
}

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

#endif
