/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Those who want each call and return. */

#ifndef __DCFG_LISTENER_H
#define __DCFG_LISTENER_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* One that wants each call and return in its order, and no costs.  Functions
   of a thread are left in the opposite order of entering them, until its last
   one is left when it ends.  BASE is that of the thread's cell array, INSTRS
   what of the thread was collected so far, which never becomes less. */
typedef
   struct {
      /* FUNCTION, a number of calls/function.h, is entered: the first one of
         a thread or of a signal handler, by a call, by a jump; or
         (!IS_START) control came back to it after it had been left by a
         jump. */
      void (*enter)(ULong* base, UInt function, ULong instrs,
                    Bool is_start);
      /* The innermost one is left; or (BY_JUMP) replaced by what is entered
         next. */
      void (*leave)(ULong* base, ULong instrs, Bool by_jump);
      /* From here on nothing is collected, so that INSTRS stands still, or
         (ON) all is; functions are entered and left meanwhile. */
      void (*turn)(ULong* base, ULong instrs, Bool on);
      /* When something is entered, the guest state at these offsets is up
         to date. */
      UInt        n_registers;
      const Int*  registers;
   }
   CallListener;

/* Who listens, or NULL: see DCFG_(listen_to_calls). */
extern const CallListener* DCFG_(call_listener);

#endif /* __DCFG_LISTENER_H */
