/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A client's session with a recorded program.

   Times, here and in the room, are those of lib/dcfg_replay.h: time T is before
   instruction number T of the trace. */

#ifndef DCFG_CMD_GDB_SESSION_H
#define DCFG_CMD_GDB_SESSION_H

#include "cmd/gdb/gdb_channel.h"
#include "cmd/gdb/gdb_images.h"
#include "cmd/gdb/gdb_points.h"
#include "cmd/gdb/gdb_signals.h"

/* Passed: states of one thread from which the client has stepped backward in
   this sequence of steps; keys are hashes of program counter and stack
   pointer. */
#define N_PASSED 4096u
typedef
   struct {
      uint64_t keys[N_PASSED];  // a hash table; 0: free
      uint32_t n;               // steps in the sequence
      uint32_t thread;
   }
   Passed;

/* GdbSession: all that the server knows of a session. */
typedef
   struct {
      ProgramState*     s;
      const char* file;
      const char* root;
      GdbChannel channel;
      GdbImages  images;
      GdbText    target;        // target.xml
      GdbPoints  points;
      GdbSignals signals;
      uint64_t   listed[2];     // the client has the libraries of both times
      uint64_t   time;          // the present time
      uint32_t   thread;        // the thread whose registers the client reads
      uint32_t   stopped;       // the thread of the last stop reply
      uint32_t   run_thread;    // the thread that steps; DCFG_NONE: .thread
      bool       goes;          // the next run begins at time .goal
      uint64_t   goal;          // the next step ends there at once
      bool       arrives;       // signals of .time are not reported yet
      bool       looks_back;    // memory is that just before .time
      bool       exact;         // reverse steps skip no states
      Passed     passed;
      GdbText    stop;          // the last stop reply
      bool       ended;         // the client has detached or killed
   }
   GdbSession;

/*--- gdb_run.c                                            ---*/

typedef enum { RUN_STEP, RUN_CONTINUE } RunHow;

/* Step or run, backward if BACK, until a point, the client or the end of the
   trace stops the program; set .time, .thread and .stop. */
void gdb_run(GdbSession* g, RunHow how, bool back);

/* Set .stop to a stop reply for the present time.  SIGNAL is gdb's number of a
   signal; REASON has further fields of the reply, each with ";" behind it. */
void gdb_note_stop(GdbSession* g, unsigned signal, const char* reason);

/* Go to time T, and to the thread that runs then. */
void gdb_go(GdbSession* g, uint64_t t);

/*--- gdb_libraries.c                                      ---*/

/* Go to the list of libraries of time T, or a step towards it.  Return false if
   that is the list already; else the client has to read it. */
bool gdb_list_libraries(GdbSession* g, uint64_t t);

/* Append the list to TO, in XML. */
void gdb_put_libraries(const GdbSession* g, GdbText* to);

/* Return the first time behind the present one at which the list changes, or
   UINT64_MAX; if BACK, the time since when the list is the one just before the
   present time, which is not 0. */
uint64_t gdb_libraries_change(const GdbSession* g, bool back);

/*--- gdb_query.c                                          ---*/

/* Append to TO the answer to a packet that begins with q.  Return false if the
   server does not know the packet. */
bool gdb_query(GdbSession* g, const char* packet, GdbText* to);

/* Append the target's description: XML that names the registers of RULES. */
void gdb_describe(const StateRules* rules, GdbText* to);

/* Append the value of register ROW of THREAD at the present time, as
   hexadecimal digits; all are x if a byte is not known. */
void gdb_put_row(GdbSession* g, uint32_t thread, const StateRow* row,
                 GdbText* to);

/*--- gdb_tls.c                                            ---*/

/* Set *ADDR to the address of the thread-local variable at OFFSET in the storage
   of the module with gdb_module_id() MODULE, of THREAD at the present time.
   Return false if it is not known. */
bool gdb_tls_address(const GdbSession* g, uint32_t thread, uint64_t offset,
                     uint64_t module, uint64_t* addr);

/*--- gdb_monitor.c                                        ---*/

/* Execute the user's "monitor TEXT", and append its output to TO. */
void gdb_monitor(GdbSession* g, const char* text, GdbText* to);

/*--- gdb_where.c                                          ---*/

/* Set *T to the time that TEXT names: FILE:LINE[#N], ADDRESS[#N], a time, begin
   or end.  Return NULL, or else a message, which text_forget() frees. */
const char* gdb_where(ProgramState* s, const char* text, uint64_t* t);

/*--- gdb_server.c                                         ---*/

/* Return a session with trace W of file FILE, for gdb_session_free().  It
   begins at AT, as gdb_where() reads it, or at the first instruction if that is
   NULL.  ROOT is the directory below which the images' files are, or NULL.  Die
   if the trace or AT is wrong.  W, FILE and ROOT must outlive the session. */
GdbSession* gdb_session(DcfgWet* w, const char* file, const char* root,
                        const char* at);
void gdb_session_free(GdbSession* g);

/* Answer packets from IN on OUT until the client ends the session. */
void gdb_serve(GdbSession* g, int in, int out);

#endif /* DCFG_CMD_GDB_SESSION_H */
