/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A client's session with a recorded program. */

#ifndef DCFG_CMD_GDB_SESSION_H
#define DCFG_CMD_GDB_SESSION_H

/* Private to gdb/: packets, what the client has set, the session that has all
   of it, and which file answers what.

   Times, here and in the room, are those of lib/dcfg_cursor.h: time T is before
   instruction number T of the trace. */

#include "cmd/state/program_state.h"

#include "lib/dcfg_wet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*--- Packets: gdb_packets.c                               ---*/

/* GdbText: a buffer that grows, with a zero byte behind its N bytes.  It is
   empty if all is zero; gdb_text_free() frees it. */
typedef
   struct {
      char*  data;
      size_t n, room;
   }
   GdbText;

/* Free the buffer and make T empty. */
void gdb_text_free(GdbText* t);

/* Append N bytes; append at most 1023 characters as printf() formats them. */
void gdb_put_bytes(GdbText* t, const void* data, size_t n);
void gdb_put(GdbText* t, const char* format, ...)
     __attribute__((format(printf, 2, 3)));

/* Append N bytes as hexadecimal digits; append S, escaped as XML demands it of
   an attribute. */
void gdb_put_hex(GdbText* t, const uint8_t* bytes, size_t n);
void gdb_put_xml(GdbText* t, const char* s);

/* Read a hexadecimal number of at most 64 bits at *AT, and move *AT behind it.
   Return false if there is none, or it is too large. */
bool gdb_take_number(const char** at, uint64_t* number);

/* Move *AT behind the character there if it is C.  Return whether it was. */
bool gdb_take(const char** at, char c);

/* Decode the N hexadecimal digits at S to TO, which has room for N / 2 bytes.
   Return the number of bytes; -1 if N is odd or a character is no digit. */
ssize_t gdb_from_hex(const char* s, size_t n, uint8_t* to);

/* Bytes of the longest packet that the channel accepts. */
#define GDB_MOST_PACKET 0x4000u

/* GdbChannel: the connection with a client.  Only gdb_packets.c writes it. */
typedef
   struct {
      int     in, out;
      bool    acks;             // both sides acknowledge packets
      bool    closed;           // the client has closed the connection
      bool    interrupted;      // the client has sent an interrupt
      uint8_t buffer[4096];     // bytes AT to N have been read from .in, but
      size_t  at, n;            // no packet has used them yet
      GdbText sent;             // the last packet with its frame, to send again
   }
   GdbChannel;

/* Return a channel on two descriptors, which stay the caller's. */
GdbChannel gdb_channel(int in, int out);
void       gdb_channel_free(GdbChannel* c);

/* Wait for the next packet, and set TO to its contents, without frame and
   escapes.  A packet with a wrong checksum is requested again; if no packets
   are acknowledged, it is taken for an empty one.  Return false if the client
   has closed the connection. */
bool gdb_receive(GdbChannel* c, GdbText* to);

/* Send a packet with the N bytes of DATA, which are escaped where needed. */
void gdb_send(GdbChannel* c, const char* data, size_t n);

/* Stop to acknowledge packets, as the client asked by QStartNoAckMode. */
void gdb_without_acks(GdbChannel* c);

/* Return whether the client has sent an interrupt or closed the connection.
   Does not wait. */
bool gdb_is_interrupted(GdbChannel* c);

/* Forget the interrupt: the run that it was for has stopped. */
void gdb_forget_interrupt(GdbChannel* c);

/*--- Points: gdb_points.c                                 ---*/

/* GdbCondition: N bytes of an agent expression's bytecode. */
typedef
   struct {
      uint8_t* code;
      size_t   n;
   }
   GdbCondition;

/* GdbPoint: a breakpoint or watchpoint.  Its kind has the number that packet Z
   gives it. */
enum { POINT_SOFTWARE, POINT_HARDWARE, POINT_WRITE, POINT_READ,
       POINT_ACCESS, N_POINT_KINDS };
typedef
   struct {
      unsigned kind;
      uint64_t addr, size;      // size in bytes; a breakpoint's has no use
      GdbCondition* conditions; // the point stops the program if one of the N
      size_t   n, room;         // conditions holds, or if there is none
   }
   GdbPoint;

/* GdbPoints: all points that the client has set.  Only gdb_points.c writes
   it. */
typedef
   struct {
      GdbPoint* points;
      size_t    n, room;
      DcfgCursorSet* set;       // instructions of all breakpoints
      bool      current;        // .set is up to date
   }
   GdbPoints;

#define MOST_POINTS 4096

/* Insert or remove the point that TEXT describes: a packet's text behind "Z" or
   "z".  Inserting a point again replaces its conditions; removing one that is
   not there succeeds.  Return false if the packet is malformed or there are
   MOST_POINTS already. */
bool points_insert(GdbPoints* p, const char* text);
bool points_remove(GdbPoints* p, const char* text);
void points_free(GdbPoints* p, ProgramState* s);

/* Remove the breakpoints from address LOW up to HIGH. */
void points_forget(GdbPoints* p, uint64_t low, uint64_t high);

/* Return whether there is a breakpoint, of either kind, at ADDR. */
bool points_has(const GdbPoints* p, uint64_t addr);

/* GdbHit: a point that stops the program. */
typedef
   struct {
      uint64_t        time;     // time of the instruction at the breakpoint, or
                                // with the access
      const GdbPoint* point;
   }
   GdbHit;

/* Find the first breakpoint from time FROM on whose condition holds, or the
   last one before FROM if BACK.  Consider times below END, or from END on if
   BACK.  Set *HIT if one is found. */
DcfgCursorFound points_find_break(GdbPoints* p, ProgramState* s, uint64_t from,
                                  uint64_t end, bool back, GdbHit* hit);

/* Find likewise the first or last instruction that accesses the memory of a
   watchpoint in the manner that the watchpoint's kind says. */
DcfgCursorFound points_find_watch(GdbPoints* p, ProgramState* s, uint64_t from,
                                  uint64_t end, bool back, GdbHit* hit);

/*--- Signals: gdb_run.c                                   ---*/

#define N_GDB_SIGNALS 256

/* GdbSignals: the client's wishes.  Only gdb_run.c writes it. */
typedef
   struct {
      bool wanted;              // the client has said which signals stop; until
                                // then none does
      bool passes[N_GDB_SIGNALS];       // by gdb's number: does not stop
   }
   GdbSignals;

/* Take the list of signals that do not stop: TEXT is what follows QPassSignals:
   in a packet.  Return false if the list is malformed. */
bool gdb_pass_signals(GdbSignals* s, const char* text);

/*--- Images: gdb_query.c                                  ---*/

/* GdbModule: the program, or a library, as thread-local storage needs it. */
typedef
   struct {
      uint64_t dynamic, dynamic_size;   // its dynamic section; 0: none
      bool     storage;         // has thread-local storage: its initial image in
      uint64_t image, image_size;       // memory, and its
      uint64_t size, align;     // whole size and alignment
   }
   GdbModule;

/* GdbLibrary: a library's row in the list of libraries, in XML. */
typedef
   struct {
      uint32_t image;           // its first instruction
      GdbText  row;
   }
   GdbLibrary;

/* GdbImages: objects that gdb requests with qXfer. */
typedef
   struct {
      char*   program;          // path of the program's file, below the root
                                // directory; NULL: not known, or changed
      GdbText auxv;             // the auxiliary vector, as in /proc/PID/auxv
      GdbLibrary* libraries;    // all that the trace has, at any time
      size_t  n_libraries, libraries_room;
      GdbModule* modules;       // the program is the first one
                                // there
      size_t  n_modules, room;
   }
   GdbImages;

/* Make the objects for trace W, whose files are looked for below directory
   ROOT, or below / if that is NULL.  The caller frees them. */
GdbImages gdb_images(DcfgWet* w, const char* root);
void      gdb_images_free(GdbImages* i);

/* Say on stderr which files of W's images gdb cannot use, because they are not
   there or are not what was executed.  Return whether the program's is among
   them. */
bool gdb_say_missing(DcfgWet* w, const char* root);

/* Return the name of the program's image, which W owns; NULL: not known. */
const char* gdb_program(DcfgWet* w);

/*--- The session: gdb_server.c                            ---*/

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

/* Return a session with trace W of file FILE, for gdb_session_free().  It
   begins at AT, as gdb_where() reads it, or at the first instruction if that is
   NULL.  ROOT is the directory below which the images' files are, or NULL.  Die
   if the trace or AT is wrong.  W, FILE and ROOT must outlive the session. */
GdbSession* gdb_session(DcfgWet* w, const char* file, const char* root,
                        const char* at);
void gdb_session_free(GdbSession* g);

/* Answer packets from IN on OUT until the client ends the session. */
void gdb_serve(GdbSession* g, int in, int out);

/*--- Running: gdb_run.c                                   ---*/

typedef enum { RUN_STEP, RUN_CONTINUE } RunHow;

/* Step or run, backward if BACK, until a point, the client or the end of the
   trace stops the program; set .time, .thread and .stop. */
void gdb_run(GdbSession* g, RunHow how, bool back);

/* Step forward until the thread has left the addresses from LOW up to HIGH, or
   something else stops the program. */
void gdb_run_range(GdbSession* g, uint64_t low, uint64_t high);

/* Set .stop to a stop reply for the present time.  SIGNAL is gdb's number of a
   signal; REASON has further fields of the reply, each with ";" behind it. */
void gdb_note_stop(GdbSession* g, unsigned signal, const char* reason);

/* Go to time T, and to the thread that runs then. */
void gdb_go(GdbSession* g, uint64_t t);

/*--- Queries, libraries, registers: gdb_query.c           ---*/

/* Go to the list of libraries of time T, or a step towards it.  Return false if
   that is the list already; else the client has to read it. */
bool gdb_list_libraries(GdbSession* g, uint64_t t);

/* Return the first time behind the present one at which the list changes, or
   UINT64_MAX; if BACK, the time since when the list is the one just before the
   present time, which is not 0. */
uint64_t gdb_libraries_change(const GdbSession* g, bool back);

/* Append to TO the answer to a packet that begins with q.  Return false if the
   server does not know the packet. */
bool gdb_query(GdbSession* g, const char* packet, GdbText* to);

/* Append the target's description: XML that names the registers of RULES. */
void gdb_describe(const StateRules* rules, GdbText* to);

/* Append the value of register ROW of THREAD at the present time, as
   hexadecimal digits; all are x if a byte is not known. */
void gdb_put_row(GdbSession* g, uint32_t thread, const StateRow* row,
                 GdbText* to);

/*--- Times and the user's commands: gdb_monitor.c         ---*/

/* Set *T to the time that TEXT names: FILE:LINE[#N], ADDRESS[#N], a time, begin
   or end.  Return NULL, or else a message, which text_forget() frees. */
const char* gdb_where(ProgramState* s, const char* text, uint64_t* t);

/* Execute the user's "monitor TEXT", and append its output to TO. */
void gdb_monitor(GdbSession* g, const char* text, GdbText* to);

#endif /* DCFG_CMD_GDB_SESSION_H */
