/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Inlined functions of a whole execution trace. */

#ifndef DCFG_CMD_INLINED_TRACE_H
#define DCFG_CMD_INLINED_TRACE_H

#include "lib/dcfg_wet.h"

/* InlinedTrace: the functions that a trace's instructions were inlined into.
   An image's debug information is read when it is first needed.  If that fails,
   the user is told once. */
typedef struct InlinedTrace InlinedTrace;

/* Make it for W, which stays open until inlined_trace_free().  Images' files
   are looked for below ROOT first, unless it is NULL. */
InlinedTrace* inlined_trace_new(DcfgWet* w, const char* root);
void          inlined_trace_free(InlinedTrace* t);

/* InlinedFrame: a function, and a line in it: in the first frame the
   instruction's, in each other frame that of the call of the frame before. */
typedef
   struct {
      const char* function;
      const char* file;         // path, or "?"
      uint32_t    line;         // 0: not known
   }
   InlinedFrame;

/* Set *FRAMES to the functions of instruction INSTR, the innermost first, and
   return their number; 0 if its code was not inlined, or if that is not known.
   They are valid until the next call, their texts until text_forget(). */
uint32_t      inlined_trace_frames(InlinedTrace* t, uint32_t instr,
                                   const InlinedFrame** frames);

/* Return the same as "leaf, at t1.c:11 branchy, at t1.c:14 main", without the
   line of the instruction; "" without frames. */
const char*   inlined_trace_text(InlinedTrace* t, uint32_t instr);

#endif /* DCFG_CMD_INLINED_TRACE_H */
