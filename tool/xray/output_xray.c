/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The output of the XRay log. */

/* Owns: the options of a log; records and buffers of XRay's flight data recorder,
   versions 1 and 5, and the limit of a log; the steps from the threads' logs to
   files.  Handed: functions by tool/calls/active.c, threads by tool/run/thread.c.

   The format is LLVM's "XRay Flight Data Recorder Trace Format".  A log is a
   header and buffers.  Each buffer belongs to a thread.  A thread has a stream
   of full buffers, BUFFER_SIZE bytes each, and the buffer that is being
   filled.

   llvm-xray has some requirements that the document does not mention.  The
   first records of all threads have the same tick.  The wall clock of a
   thread's buffers, which is their number here, increases in both of its
   fields.  The thread's number has four bytes.  In version 5, each buffer
   begins with its length, and has no end record.  The process's id is a record of
   version 5, but all readers take it in version 1, too.

   Ticks are a thread's own, because llvm-xray makes costs of them.  Moreover, it
   refuses ticks below those of the thread that it happens to see first.  What other
   threads have executed, when that has changed, is an event before the next record
   (XRAY_OTHERS).  The first record of a buffer has one, too, unless nobody else has
   run.

   If the last records are to be kept, the oldest full buffer of all threads is
   dropped.  The functions that were active behind it are kept, with their
   ticks: the log then begins with them. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_xarray.h"
#include "format/xray_files.h"
#include "tool/base/core.h"
#include "tool/arch/guest.h"
#include "tool/base/options.h"
#include "tool/calls/active.h"
#include "tool/dcfg_output.h"
#include "tool/files/file.h"
#include "tool/files/stream.h"
#include "tool/run/exclude.h"
#include "tool/run/this_run.h"
#include "tool/run/thread.h"
#include "tool/xray/xray.h"

/*--- Bytes                                                ---*/

/* Return the first byte of a metadata record of KIND. */
#define FIRST_BYTE(kind) ((kind) << 1 | 1)

static inline void set_bytes(UChar* to, ULong n, UInt size)
{
   for (UInt i = 0; i < size; i++)
      to[i] = (UChar)(n >> 8 * i);
}

/* Store two numbers of four bytes. */
static inline void set_function(UChar* to, UInt a, UInt b)
{
#if defined(VG_LITTLEENDIAN)
   __builtin_memcpy(to, &a, sizeof(a));
   __builtin_memcpy(to + sizeof(a), &b, sizeof(b));
#else
   set_bytes(to, a, 4);
   set_bytes(to + 4, b, 4);
#endif
}

static inline ULong get_bytes(const UChar* from, UInt size)
{
   ULong n = 0;

   for (UInt i = size; i > 0; i--)
      n = n << 8 | from[i - 1];
   return n;
}

static inline void set_tick(Moment* m, ULong tick)
{
   m->time += tick - m->tick;
   m->tick  = tick;
}

static Bool tells_others(const UChar* data, UInt size)
{
   return size == XRAY_OTHERS_SIZE
          && VG_(memcmp)(data, XRAY_OTHERS, sizeof(XRAY_OTHERS)) == 0;
}

/* Return the next function record, from *AT on in the N bytes of a buffer, or
   NULL.  *AT moves behind it, and *WHEN becomes its moment. */
static inline const UChar* next_function(const UChar* buffer, UInt n,
                                         UInt* at, Moment* when)
{
   while (*at < n) {
      const UChar* r    = buffer + *at;
      const UChar* data = r + XRAY_METADATA_SIZE;
      if ((r[0] & 1) == 0) {
         *at += XRAY_FUNCTION_SIZE;
         set_tick(when, when->tick + get_bytes(r + 4, 4));
         return r;
      }
      *at += XRAY_METADATA_SIZE;
      if (r[0] == FIRST_BYTE(XrayCustomEvent)) {
         UInt size = (UInt)get_bytes(r + 1, 4);
         *at += size;
         if (tells_others(data, size))
            when->time = when->tick
                         + get_bytes(data + sizeof(XRAY_OTHERS), 8);
      }
      if (r[0] == FIRST_BYTE(XrayEndOfBuffer))
         return NULL;
      if (r[0] == FIRST_BYTE(XrayNewCpu))
         set_tick(when, get_bytes(r + 3, 8));
      if (r[0] == FIRST_BYTE(XrayTscWrap))
         set_tick(when, get_bytes(r + 1, 8));
   }
   return NULL;
}

#define BUFFER_SIZE   16384u     // XRay's default

/* The bytes of an event with N bytes of data. */
#define EVENT_SIZE(n) (2 * XRAY_METADATA_SIZE + (n))

/* The most bytes that one function takes. */
#define MOST_RECORDS (EVENT_SIZE(XRAY_OTHERS_SIZE) + XRAY_METADATA_SIZE \
                      + XRAY_FUNCTION_SIZE \
                      + DCFG_N_ARGS * XRAY_METADATA_SIZE)

/* The most bytes of a text; the rest is left out. */
#define MOST_TEXT 4096u

/* The least room for functions in a buffer. */
#define LEAST_ROOM (BUFFER_SIZE - 6 * XRAY_METADATA_SIZE \
                    - EVENT_SIZE(XRAY_OTHERS_SIZE))

/* Base: a function that was active behind the dropped buffers. */
typedef
   struct {
      UInt   id;
      Moment at;
   }
   Base;

/* The most bytes that a base takes. */
#define BASE_SIZE (EVENT_SIZE(XRAY_OTHERS_SIZE) + XRAY_FUNCTION_SIZE)

struct _FlightLog {
   UInt    thread;
   ULong   tick;          // the last record's tick
   ULong   others;        // instructions of others by then
   ULong   told;          // the present buffer tells these .others
   ULong   n_begun;       // buffers, with the one being filled
   ULong   n_dropped;     // dropped buffers
   UInt    first_id;      // the first function
   Stream* full;
   ULong   n_full;        // buffers in it, and dropped ones
   UChar*  buffer;        // NULL if there is none
   UInt    used, room;
   XArray* bases;         // Base; NULL if there are none
   Bool    is_copy;       // a copy for writing, without a limit
   Bool    is_stopped;    // is there no more room?
   const Active* active;  // the thread's functions
};

FlightFormat DCFG_(flight_format) = { 1, 0, False };

static XArray* logs;          // FlightLog*: all logs
static XArray* oldest;        // FlightLog*: for each full buffer, the oldest
                              // first
static Word    first_oldest;  // index of the first one not dropped
static ULong   n_buffers;     // in all logs
static ULong   n_records, n_dropped;
static Bool    is_limited;
static Bool    is_stopped;

/*--- Records                                              ---*/

/* Append a metadata record with two fields of A_SIZE and B_SIZE bytes. */
static void add_metadata(FlightLog* log, UChar kind, ULong a, UInt a_size,
                         ULong b, UInt b_size)
{
   UChar* r = log->buffer + log->used;

   VG_(memset)(r, 0, XRAY_METADATA_SIZE);
   r[0] = FIRST_BYTE(kind);
   set_bytes(r + 1, a, a_size);
   set_bytes(r + 1 + a_size, b, b_size);
   log->used += XRAY_METADATA_SIZE;
}

static Bool has_extents(void)
{
   return DCFG_(flight_format).version >= 3;
}

/* Return the size of a buffer's head in bytes. */
static UInt head_size(void)
{
   return (has_extents() ? 5 : 4) * XRAY_METADATA_SIZE;
}

/* Make room for N bytes.  Buffers start small, because there may be thousands
   of threads. */
static void grow_buffer(FlightLog* log, UInt n)
{
   while (log->used + n > log->room)
      log->room = log->room == 0 ? 512 : 2 * log->room;
   log->buffer = VG_(realloc)("dcfg.flight.buffer", log->buffer, log->room);
}

static inline void make_room(FlightLog* log, UInt n)
{
   if (log->used + n > log->room)
      grow_buffer(log, n);
}

/*--- The limit                                            ---*/

static ULong most_buffers(void)
{
   return (DCFG_(flight_format).limit - XRAY_HEADER_SIZE) / BUFFER_SIZE;
}

/* Return the length of a buffer; all bytes behind it are zeros. */
static UInt length_of(const UChar* buffer)
{
   return has_extents() ? XRAY_METADATA_SIZE + (UInt)get_bytes(buffer + 1, 8)
                        : BUFFER_SIZE;
}

/* Drop LOG's first full buffer. */
static void drop_buffer(FlightLog* log)
{
   UChar        buffer[BUFFER_SIZE];
   UInt         at   = 0;
   Moment       when = { 0, 0 };
   const UChar* r;

   DCFG_(read_stream)(log->full, log->n_dropped * BUFFER_SIZE, buffer,
                      BUFFER_SIZE);
   if (log->bases == NULL)
      log->bases = DCFG_NEW_ARRAY("dcfg.flight.bases", Base);
   while ((r = next_function(buffer, length_of(buffer), &at, &when))
          != NULL) {
      UInt word = (UInt)get_bytes(r, 4);
      Base b    = { word >> 4, when };
      UInt action = word >> 1 & 7;
      if (action == XrayEnter || action == XrayEnterArgs)
         VG_(addToXA)(log->bases, &b);
      else if (VG_(sizeXA)(log->bases) > 0)
         VG_(dropTailXA)(log->bases, 1);
      n_dropped++;
   }
   log->n_dropped++;
   n_buffers--;
   DCFG_(drop_from_stream)(log->full, log->n_dropped * BUFFER_SIZE);
   is_limited = True;
}

/* Return the buffers that N more functions of SIZE bytes can need, and one more for
   the present one, which may be full. */
static ULong buffers_for(ULong n, UInt size)
{
   const UInt most = LEAST_ROOM / size;

   return 1 + (n + most - 1) / most;
}

/* Return the number of buffers that a file would have now. */
static ULong n_in_file(void)
{
   ULong n = n_buffers;

   for (Word i = 0; i < VG_(sizeXA)(logs); i++) {
      const FlightLog* l = *(FlightLog**)VG_(indexXA)(logs, i);
      if (l->used > 0)
         n += buffers_for(l->is_stopped ? 0 : DCFG_(n_active)(l->active),
                          XRAY_FUNCTION_SIZE);
      if (l->bases != NULL)
         n += buffers_for(VG_(sizeXA)(l->bases) + 2, BASE_SIZE) - 1;
   }
   return n;
}

static void drop_oldest(void)
{
   while (n_in_file() > most_buffers()
          && first_oldest < VG_(sizeXA)(oldest)) {
      drop_buffer(*(FlightLog**)VG_(indexXA)(oldest, first_oldest));
      first_oldest++;
   }
   if (first_oldest > 1024
       && first_oldest > VG_(sizeXA)(oldest) / 2
       && first_oldest < VG_(sizeXA)(oldest)) {
      Word left = VG_(sizeXA)(oldest) - first_oldest;
      VG_(memmove)(VG_(indexXA)(oldest, 0),
                   VG_(indexXA)(oldest, first_oldest),
                   left * sizeof(FlightLog*));
      VG_(dropTailXA)(oldest, first_oldest);
      first_oldest = 0;
   }
}

/* Return whether one more buffer and all last exits would exceed the limit.
   Called so often that no log gets more active functions than fit into a buffer
   between. */
static Bool is_full(void)
{
   return n_in_file() + 1 > most_buffers();
}

static void leave(void* log, UInt id, UInt depth, Moment at, Bool by_jump);

/* Stop all logs: write the last exits, at the last tick of each log. */
static void stop_all(void)
{
   is_limited = is_stopped = True;
   for (Word i = 0; i < VG_(sizeXA)(logs); i++) {
      FlightLog* l = *(FlightLog**)VG_(indexXA)(logs, i);
      DCFG_(leave_active)(l->active, (Moment){ l->tick, l->tick + l->others },
                          leave, l);
      l->is_stopped = True;
   }
}

/*--- Buffers                                              ---*/

static void begin_buffer(FlightLog* log)
{
   log->used = 0;
   log->told = 0;
   make_room(log, head_size() + MOST_RECORDS + XRAY_METADATA_SIZE);
   log->n_begun++;
   if (has_extents())
      add_metadata(log, XrayBufferExtents, 0, 8, 0, 0);
   add_metadata(log, XrayNewBuffer, log->thread + 1, 4, 0, 0);
   add_metadata(log, XrayWallClock, log->n_begun, 8, log->n_begun, 4);
   add_metadata(log, XrayPid, DCFG_(this_pid)(), 4, 0, 0);
   add_metadata(log, XrayNewCpu, 0, 2, log->tick, 8);
}

/* Set the buffer's end, or its length. */
static void end_buffer(FlightLog* log)
{
   if (has_extents()) {
      set_bytes(log->buffer + 1, log->used - XRAY_METADATA_SIZE, 8);
   } else {
      make_room(log, XRAY_METADATA_SIZE);
      add_metadata(log, XrayEndOfBuffer, 0, 0, 0, 0);
   }
}

/* Keep the buffer: it is full, or the last one. */
static void keep_buffer(FlightLog* log)
{
   static const UChar zeros[BUFFER_SIZE];

   end_buffer(log);
   DCFG_(append_to_stream)(log->full, log->buffer, log->used);
   DCFG_(append_to_stream)(log->full, zeros, BUFFER_SIZE - log->used);
   log->n_full++;
   log->used = 0;
   if (!log->is_copy && DCFG_(flight_format).keep_last)
      VG_(addToXA)(oldest, &log);
}

/* Begin a buffer.  Return False if the log has been stopped. */
static Bool begin_next_buffer(FlightLog* log)
{
   if (!log->is_copy) {
      Bool limits = DCFG_(flight_format).limit != 0;
      if (limits && !DCFG_(flight_format).keep_last && !is_stopped
          && is_full()) {
         stop_all();
         return False;
      }
      n_buffers++;
      if (log->used > 0)
         keep_buffer(log);
      if (limits && DCFG_(flight_format).keep_last)
         drop_oldest();
   } else if (log->used > 0) {
      keep_buffer(log);
   }
   begin_buffer(log);
   return True;
}

/* Begin a buffer if there is none with room.  Return False if the log has been
   stopped. */
static inline Bool have_room(FlightLog* log)
{
   if (log->used == 0
       || log->used + MOST_RECORDS + XRAY_METADATA_SIZE > BUFFER_SIZE)
      return begin_next_buffer(log);
   make_room(log, MOST_RECORDS);
   return True;
}

/* Add an event at TICK.  In version 1, readers disagree whether the next record's
   tick counts from the event's; a record before the event makes both the same. */
static void add_event(FlightLog* log, ULong tick, const void* data, UInt n)
{
   make_room(log, EVENT_SIZE(n));
   add_metadata(log, XrayTscWrap, tick, 8, 0, 0);
   log->tick = tick;
   if (DCFG_(flight_format).version >= 5)
      add_metadata(log, XrayCustomEvent, n, 4, 0, 4);
   else
      add_metadata(log, XrayCustomEvent, n, 4, tick, 8);
   VG_(memcpy)(log->buffer + log->used, data, n);
   log->used += n;
}

/* Tell what others have executed, if the buffer does not. */
static inline void tell_others(FlightLog* log, Moment at)
{
   const ULong others = at.time - at.tick;
   UChar       data[XRAY_OTHERS_SIZE];

   if (others == log->told)
      return;
   VG_(memcpy)(data, XRAY_OTHERS, sizeof(XRAY_OTHERS));
   set_bytes(data + sizeof(XRAY_OTHERS), others, 8);
   add_event(log, at.tick, data, sizeof(data));
   log->told = log->others = others;
}

/* Log that function ID is entered or left at a moment that is not before the last
   one.  With XrayEnterArgs, ARGS are DCFG_N_ARGS words. */
static void log_function(FlightLog* log, UInt id, XrayAction action,
                         Moment at, const UWord* args)
{
   if (log->is_stopped || !have_room(log))
      return;
   tell_others(log, at);
   ULong delta = at.tick - log->tick;
   if (delta > 0xFFFFFFFFu) {
      add_metadata(log, XrayTscWrap, at.tick, 8, 0, 0);
      delta = 0;
   }
   if (log->first_id == 0)
      log->first_id = id;
   set_function(log->buffer + log->used, id << 4 | action << 1, (UInt)delta);
   log->used += XRAY_FUNCTION_SIZE;
   log->tick  = at.tick;
   if (action == XrayEnterArgs)
      for (UInt i = 0; i < DCFG_N_ARGS; i++)
         add_metadata(log, XrayCallArgument, args[i], 8, 0, 0);
   if (!log->is_copy)
      n_records++;
}

static void enter(void* log, UInt id, UInt depth, Moment at,
                  const UWord* args)
{
   log_function(log, id, args != NULL ? XrayEnterArgs : XrayEnter, at, args);
}

static void leave(void* log, UInt id, UInt depth, Moment at, Bool by_jump)
{
   log_function(log, id, by_jump ? XrayTailExit : XrayExit, at, NULL);
}

/* Log a mark.  llvm-xray refuses an event without data. */
static void log_text(void* log, const HChar* text, Moment at)
{
   FlightLog* l = log;
   UInt       n;

   if (text[0] == 0)
      text = " ";
   n = VG_(strlen)(text);
   if (n > MOST_TEXT)
      n = MOST_TEXT;
   if ((l->used == 0
        || l->used + EVENT_SIZE(XRAY_OTHERS_SIZE) + EVENT_SIZE(n)
           + XRAY_METADATA_SIZE > BUFFER_SIZE)
       && !begin_next_buffer(l))
      return;
   tell_others(l, at);
   add_event(l, at.tick, text, n);
}

static Bool has_stopped(const void* log)
{
   return ((const FlightLog*)log)->is_stopped;
}

static void* begin(UInt thread, const Active* active)
{
   FlightLog* l;

   if (is_stopped)
      return NULL;
   l = VG_(calloc)("dcfg.flight.log", 1, sizeof(*l));
   if (logs == NULL) {
      logs   = DCFG_NEW_ARRAY("dcfg.flight.logs", FlightLog*);
      oldest = DCFG_NEW_ARRAY("dcfg.flight.oldest", FlightLog*);
   }
   l->thread = thread;
   l->tick   = 1;
   l->full   = DCFG_(new_stream)();
   l->active = active;
   VG_(addToXA)(logs, &l);
   return l;
}

static void free_log(FlightLog* log)
{
   DCFG_(delete_stream)(log->full);
   if (log->bases != NULL)
      VG_(deleteXA)(log->bases);
   DCFG_FREE_ALL(log->buffer, log);
}

static void delete(void* log)
{
   FlightLog* l = log;

   for (Word i = VG_(sizeXA)(logs); i > 0; i--)
      if (*(FlightLog**)VG_(indexXA)(logs, i - 1) == l)
         VG_(removeIndexXA)(logs, i - 1);
   for (Word i = VG_(sizeXA)(oldest); i > first_oldest; i--)
      if (*(FlightLog**)VG_(indexXA)(oldest, i - 1) == l)
         VG_(removeIndexXA)(oldest, i - 1);
   n_buffers -= l->n_begun - l->n_dropped;
   free_log(l);
}

static void restart(void)
{
   n_records  = n_dropped = 0;
   is_limited = is_stopped = False;
}

static void finish(void* log)
{
   FlightLog* l = log;

   if (l->used > 0)
      keep_buffer(l);
   DCFG_(trim_stream)(l->full);
   VG_(free)(l->buffer);
   l->buffer = NULL;
   l->room   = 0;
}

const CallLog DCFG_(flight_calls) = {
   .begin   = begin,
   .delete  = delete,
   .enter   = enter,
   .leave   = leave,
   .text    = log_text,
   .is_full = has_stopped,
   .finish  = finish,
   .restart = restart
};

/*--- The file                                             ---*/

/* A tick is shown as a microsecond, because llvm-xray prints six decimals of a
   second. */
#define TICKS_PER_SECOND 1000000u

/* Put the file's header. */
static void put_flight_header(Put* out)
{
   UChar header[XRAY_HEADER_SIZE];

   VG_(memset)(header, 0, sizeof(header));
   set_bytes(header, DCFG_(flight_format).version, 2);
   set_bytes(header + 2, 1, 2);               // flight data recorder
   set_bytes(header + 4, 3, 4);               // constant and nonstop TSC
   set_bytes(header + 8, TICKS_PER_SECOND, 8);
   set_bytes(header + 16, BUFFER_SIZE, 8);
   DCFG_(put_bytes)(out, header, sizeof(header));
}

static void put_stream(Put* out, const Stream* stream, ULong at, ULong end)
{
   for (; at < end; at += BUFFER_SIZE) {
      UChar buffer[BUFFER_SIZE];
      if (DCFG_(read_stream)(stream, at, buffer, BUFFER_SIZE) < BUFFER_SIZE)
         return;
      DCFG_(put_bytes)(out, buffer, length_of(buffer));
   }
}

/* Put a first function that is not active any more, and was left at AT: the first
   ticks of all threads must be the same. */
static void put_first(FlightLog* copy, Moment at)
{
   const Moment first = { 1, 1 + at.time - at.tick };

   log_function(copy, copy->first_id, XrayEnter, first, NULL);
   log_function(copy, copy->first_id, XrayExit, at, NULL);
}

/* Put the end of COPY, and free it. */
static void put_copy(Put* out, FlightLog* copy)
{
   if (copy->used > 0)
      keep_buffer(copy);
   put_stream(out, copy->full, 0, copy->n_full * BUFFER_SIZE);
   DCFG_(delete_stream)(copy->full);
   VG_(free)(copy->buffer);
}

/* Put a buffer without records, if no thread has any: llvm-xray takes a header
   alone for a text file. */
static void put_empty_flight(Put* out)
{
   FlightLog copy = { .tick = 1, .full = DCFG_(new_stream)(),
                      .is_copy = True };

   begin_buffer(&copy);
   put_copy(out, &copy);
}

/* Put the functions that were active behind the dropped buffers. */
static void put_bases(Put* out, const FlightLog* log)
{
   FlightLog copy = *log;

   if (log->bases == NULL)
      return;
   copy.is_copy = True;
   copy.is_stopped = False;
   copy.full    = DCFG_(new_stream)();
   copy.buffer  = NULL;
   copy.bases   = NULL;
   copy.used    = copy.room = 0;
   copy.n_begun = copy.n_full = 0;
   copy.tick    = 1;
   for (Word i = 0; i < VG_(sizeXA)(log->bases); i++) {
      const Base* b = VG_(indexXA)(log->bases, i);
      if (i == 0 && b->at.tick != 1)
         put_first(&copy, b->at);
      log_function(&copy, b->id, XrayEnter, b->at, NULL);
   }
   if (VG_(sizeXA)(log->bases) == 0)
      put_first(&copy, (Moment){ 1, 1 });
   put_copy(out, &copy);
}

/* Put LOG, whose functions are ACTIVE and get their last exits at NOW.  LOG is not
   changed.  Return False if LOG is empty. */
static Bool put_flight_log(Put* out, const FlightLog* log,
                           const Active* active, Moment now)
{
   FlightLog copy = *log;

   if (log->n_full == log->n_dropped && log->used == 0)
      return False;
   put_bases(out, log);
   put_stream(out, log->full, log->n_dropped * BUFFER_SIZE,
              log->n_full * BUFFER_SIZE);
   copy.is_copy = True;
   copy.full    = DCFG_(new_stream)();
   copy.n_full  = 0;
   copy.buffer  = NULL;
   copy.room    = 0;
   if (log->used > 0) {
      copy.used = 0;
      make_room(&copy, log->used);
      copy.used = log->used;
      VG_(memcpy)(copy.buffer, log->buffer, log->used);
   }
   DCFG_(leave_active)(active, now, leave, &copy);
   put_copy(out, &copy);
   return True;
}

/* Return the number of function records in the logs. */
static ULong n_flight_records(void)
{
   return n_records - n_dropped;
}

/* Return whether the limit has been reached. */
static Bool flight_is_limited(void)
{
   return is_limited;
}

/*--- Options                                              ---*/

#define OUT_FILE "xray-log.%p"

/* Room for the file's header and three buffers. */
#define LEAST_LIMIT 65536

static struct {
   Bool         on;
   const HChar* out_file;
   const HChar* map_file;      // NULL: beside the log
   Bool         map_is_named;  // named by the user
   const HChar* read_map;
   Bool         args;
   const HChar* limit;
   const HChar* keep;
   Int          version;
} opts = {
   .on          = False,
   .out_file    = OUT_FILE,
   .keep        = "first",
   .version     = 1
};

static UInt log_number;      // its number in tool/calls/active.h

#define MOST_INSTRS 1000000000

static const Option options[] = {
   OPTION_BOOL("--xray", opts.on, "also write an XRay log of all calls"),
   OPTION_TEXT("--xray-out-file", opts.out_file, "<file>",
               "write the log to <file>"),
   OPTION_TEXT("--xray-map-file", opts.map_file, "<file>",
               "write the functions' names to <file> [LOG.map]"),
   OPTION_INT("--xray-min-instrs", DCFG_(log_options).min_instrs, 0,
              MOST_INSTRS, "<n>", "leave out calls of fewer instructions"),
   OPTION_TEXT("--xray-functions", DCFG_(log_options).functions, "<glob>,...",
               "log only functions with such names [all]"),
   OPTION_TEXT("--xray-images", DCFG_(log_options).images, "<glob>,...",
               "log only functions in such objects [all]"),
   OPTION_INT("--xray-depth", DCFG_(log_options).depth, 0, MOST_INSTRS, "<n>",
              "log only the outermost <n> calls of a stack; 0: all"),
   OPTION_BOOL("--xray-args", opts.args, "log the registers for arguments"),
   OPTION_TEXT("--xray-limit", opts.limit, "<size>",
               "limit the log to <size>, such as 500M; 0: no limit [0]"),
   OPTION_TEXT("--xray-keep", opts.keep, "first|last",
               "keep the first or the last calls up to the limit"),
   OPTION_INT("--xray-version", opts.version, 1, 5, "1|5",
              "the version of the format"),
   OPTION_TEXT("--xray-read-map", opts.read_map, "<file>",
               "number functions as in the map <file> [none]")
};

static void fail(const HChar* opt, const HChar* value, const HChar* why)
{
   DCFG_FAIL("%s=%s: %s\n", opt, value, why);
}

static void set_format(void)
{
   FlightFormat* f = &DCFG_(flight_format);

   if (opts.version != 1 && opts.version != 5)
      DCFG_FAIL("--xray-version=%d: the versions are 1 and 5\n", opts.version);
   f->version = opts.version;
   if (VG_STREQ(opts.keep, "last"))
      f->keep_last = True;
   else if (!VG_STREQ(opts.keep, "first"))
      fail("--xray-keep", opts.keep, "the values are first and last");
   if (opts.limit == NULL)
      return;
   if (!DCFG_(parse_size)(opts.limit, &f->limit))
      fail("--xray-limit", opts.limit,
           "this is no size; a size is such as 500M or 2G");
   if (f->limit != 0 && f->limit < LEAST_LIMIT)
      fail("--xray-limit", opts.limit, "the least is 64K");
}

static void check_args(void)
{
   if (DCFG_(guest).n_argument_registers == 0)
      fail("--xray-args", "yes", "this is not there for this processor: "
           "the tool does not know its registers for arguments");
   /* Arguments would be read only after the first instruction. */
   if (DCFG_(excludes_code)())
      fail("--xray-args", "yes", "this cannot be used with "
           "--exclude-images, --exclude-functions or --only-images");
}

static void read_map(void)
{
   const HChar* why = DCFG_(read_elf_map)(opts.read_map);

   if (why != NULL)
      fail("--xray-read-map", opts.read_map, why);
}

static void claim_files(void)
{
   DCFG_(claim_out_file)("--xray-out-file", opts.out_file);
   opts.map_is_named = opts.map_file != NULL;
   if (!opts.map_is_named
       && DCFG_(has_side_file)("--xray-out-file", opts.out_file,
                               "the functions' names")) {
      HChar* map = VG_(malloc)("dcfg.xray.map",
                               VG_(strlen)(opts.out_file) + 5);
      VG_(sprintf)(map, "%s.map", opts.out_file);
      opts.map_file = map;
   }
   if (opts.map_file != NULL)
      DCFG_(claim_out_file)("--xray-map-file", opts.map_file);
   DCFG_(set_spool_place)("--xray-out-file", opts.out_file, 2 << 20);
}

static Bool start(void)
{
   if (opts.read_map != NULL)      // for all logs of calls
      read_map();
   if (!opts.on)
      return False;
   set_format();
   if (opts.args)
      check_args();
   claim_files();
   log_number = DCFG_(log_calls)(&DCFG_(flight_calls), opts.args);
   return True;
}

/*--- Files                                                ---*/

static HChar* name_of_log(void)
{
   return DCFG_(name_of_part)("--xray-out-file", opts.out_file, "");
}

/* Return the name of the map.  The caller frees it. */
static HChar* name_of_map(void)
{
   if (opts.map_is_named)
      return DCFG_(name_of_part)("--xray-map-file", opts.map_file, "");
   HChar* log = name_of_log();
   HChar* map = VG_(malloc)("dcfg.xray.map", VG_(strlen)(log) + 5);
   VG_(sprintf)(map, "%s.map", log);
   VG_(free)(log);
   return map;
}

static void write_map(void)
{
   HChar*   name = name_of_map();
   OutFile* file = DCFG_(open_out_file)("--xray-map-file", name,
                                        "--xray-out-file", False);
   UInt     n    = DCFG_(n_ids)();

   DCFG_(put_elf_map)(DCFG_(text_of_file)(file));
   DCFG_(close_out_file)(file, "%'u function%s", n, n == 1 ? "" : "s");
   VG_(free)(name);
}

static Bool put_thread(Put* out, UInt thread)
{
   const Active*    a;
   Moment           now;
   const FlightLog* l = DCFG_(log_of_thread)(log_number, thread, &a, &now);

   return l != NULL && put_flight_log(out, l, a, now);
}

/* Write the log.  Return False if there is none. */
static Bool write_log(void)
{
   HChar*   name = name_of_log();
   OutFile* file = DCFG_(open_out_file)("--xray-out-file", name, NULL,
                                        False);
   Put*     out  = DCFG_(text_of_file)(file);
   UInt     n    = 0, n_stacks = 0;
   Bool     good;

   VG_(free)(name);
   DCFG_(set_reader)(file, "dcfg xray", OUT_FILE);
   put_flight_header(out);
   for (UInt t = 0; t < DCFG_(n_threads)(); t++)
      n += DCFG_(has_run_on_own)(t) && put_thread(out, t);
   for (UInt i = 0; i < DCFG_(n_logged_stacks)(); i++)
      n_stacks += put_thread(out, DCFG_FIRST_STACK + i);
   if (n + n_stacks == 0)
      put_empty_flight(out);
   if (DCFG_(spool_failed)()) {
      DCFG_(abandon_out_file)(file);
      return False;
   }
   good = n_stacks == 0
          ? DCFG_(close_out_file)(file, "%'llu entries and exits of %u thread%s",
                                  n_flight_records(), n, n == 1 ? "" : "s")
          : DCFG_(close_out_file)(file, "%'llu entries and exits of %u thread%s "
                                  "and of %u stack%s that they change to",
                                  n_flight_records(), n, n == 1 ? "" : "s",
                                  n_stacks, n_stacks == 1 ? "" : "s");
   if (flight_is_limited())
      DCFG_(remark)("dcfg: the log reached --xray-limit=%s: it has only the %s "
                    "calls\n",
                    opts.limit, opts.keep);
   return good;
}

static void write(const struct _Gathered* g, const HChar* reason)
{
   if (write_log() && opts.map_file != NULL)
      write_map();
}

const Output DCFG_(xray_output) = {
   .name    = "XRay log",
   .options = OPTIONS(options),
   .start   = start,
   .write   = write,
   .mark    = DCFG_(mark_log)
};
