/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Inlined functions of a whole execution trace. */

#ifndef DCFG_CMD_INLINED_TRACE_H
#define DCFG_CMD_INLINED_TRACE_H

#include "lib/dcfg_wet.h"

/* InlinedTrace: the functions that instructions of a trace were inlined into.  An
   image's debug information is read when it is first asked for; if that cannot
   be done, a message says so once. */
typedef struct InlinedTrace InlinedTrace;

/* W stays open until inlined_trace_free().  Images' files are looked for below
   ROOT first, unless that is NULL. */
InlinedTrace* inlined_trace_new(DcfgWet* w, const char* root);
void          inlined_trace_free(InlinedTrace* t);

/* InlinedFrame: a function, and the line in it: the instruction's in the first
   frame, in each other one that of the call of the frame before. */
typedef
   struct {
      const char* function;
      const char* file;         // a path, or "?"
      uint32_t    line;         // 0: not known
   }
   InlinedFrame;

/* Set *FRAMES to the functions of instruction INSTR, the innermost first, and
   return how many there are; 0 if its code was not inlined, or nobody knows.
   They last until the next call, their texts until text_forget(). */
uint32_t      inlined_trace_frames(InlinedTrace* t, uint32_t instr,
                                   const InlinedFrame** frames);

/* Return the same as "leaf, at t1.c:11 branchy, at t1.c:14 main", without the
   line of the instruction; "" for 0 frames. */
const char*   inlined_trace_text(InlinedTrace* t, uint32_t instr);

#endif /* DCFG_CMD_INLINED_TRACE_H */
