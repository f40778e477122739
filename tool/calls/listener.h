/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The listener to calls. */

#ifndef __DCFG_LISTENER_H
#define __DCFG_LISTENER_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* CallListener: gets each call and return in order, without costs.  Functions
   of a thread are left in the opposite order of entering them; the last one is
   left when the thread ends.  BASE is the base of the thread's cell array.
   INSTRS is the number of collected instructions of the thread, which never
   decreases. */
typedef
   struct {
      /* FUNCTION, a number of tool/calls/function.h, is entered: as the first one of
         a thread or handler, by a call, or by a jump.  If not IS_START, control
         comes back to it after it had been left by a jump. */
      void (*enter)(ULong* base, UInt function, ULong instrs,
                    Bool is_start);
      /* The innermost function is left; if BY_JUMP, the function that is
         entered next replaces it. */
      void (*leave)(ULong* base, ULong instrs, Bool by_jump);
      /* Collecting is turned off, so that INSTRS stays the same, or ON.
         Functions are entered and left meanwhile. */
      void (*turn)(ULong* base, ULong instrs, Bool on);
      /* Offsets of registers in the guest state that must be up to date when a
         function is entered. */
      UInt        n_registers;
      const Int*  registers;
   }
   CallListener;

/* The listener, or NULL: see DCFG_(listen_to_calls). */
extern const CallListener* DCFG_(call_listener);

#endif /* __DCFG_LISTENER_H */
