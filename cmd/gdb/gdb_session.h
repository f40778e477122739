/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A debugger's session with a recorded program. */

#ifndef DCFG_CMD_GDB_SESSION_H
#define DCFG_CMD_GDB_SESSION_H

#include "cmd/gdb/gdb_channel.h"
#include "cmd/gdb/gdb_images.h"
#include "cmd/gdb/gdb_points.h"

/* Passed: states of one thread from which the debugger went on backward, by
   address and stack pointer. */
#define N_PASSED 4096u
typedef
   struct {
      uint64_t keys[N_PASSED];  // 0: free
      uint32_t n;               // steps in a row
      uint32_t thread;
   }
   Passed;

typedef
   struct {
      ProgramState*     s;
      const char* file;
      const char* root;
      GdbChannel channel;
      GdbImages  images;
      GdbText    target;        // target.xml
      GdbPoints  points;
      uint64_t   time;
      uint32_t   thread;        // whose registers are asked for
      uint32_t   run_thread;    // whose step it is; DCFG_NONE: .thread's
      bool       goes;          // the next step goes to .goal
      uint64_t   goal;
      bool       exact;         // no step is passed over
      Passed     passed;
      GdbText    stop;          // the last stop reply
      bool       ended;
   }
   GdbSession;

/*--- gdb_run.c                                            ---*/

typedef enum { RUN_STEP, RUN_CONTINUE } RunHow;

/* Run, in the direction that BACK says, until something stops, and set
   .stop. */
void gdb_run(GdbSession* g, RunHow how, bool back);

/* Set .stop to a stop at the present time, with SIGNAL and REASON. */
void gdb_note_stop(GdbSession* g, unsigned signal, const char* reason);

/* Go to time T: the thread is the one that runs there. */
void gdb_go(GdbSession* g, uint64_t t);

/*--- gdb_query.c                                          ---*/

/* Answer a packet that begins with q or Q; false: it is not known. */
bool gdb_query(GdbSession* g, const char* packet, GdbText* to);

/* Make the target's description. */
void gdb_describe(const StateRules* rules, GdbText* to);

/* Append row ROW of thread THREAD; x for each digit that is not known. */
void gdb_put_row(GdbSession* g, uint32_t thread, const StateRow* row,
                 GdbText* to);

/*--- gdb_monitor.c                                        ---*/

/* Execute "monitor TEXT", and append what it says. */
void gdb_monitor(GdbSession* g, const char* text, GdbText* to);

/*--- gdb_where.c                                          ---*/

/* Set *T to the time that TEXT says: FILE:LINE[#N], ADDRESS[#N], a time, begin
   or end.  Return NULL, or why not. */
const char* gdb_where(ProgramState* s, const char* text, uint64_t* t);

/*--- gdb_server.c                                         ---*/

/* Return a session for the trace W of FILE; it begins at AT, or at the first
   instruction if that is NULL.  Exits with an error if that cannot be. */
GdbSession* gdb_session(DcfgWet* w, const char* file, const char* root,
                        const char* at);
void gdb_session_free(GdbSession* g);

/* Answer packets on IN and OUT until the client goes. */
void gdb_serve(GdbSession* g, int in, int out);

#endif /* DCFG_CMD_GDB_SESSION_H */
