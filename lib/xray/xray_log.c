/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading XRay logs: header, buffers and records. */

/* Owns: reading XRay logs of versions 1 and 5, the rules that a log must keep,
   and each thread's clock.  Handed: bytes by input.c.

   A log is read front to back, a few bytes at a time, so the claimed size of a
   buffer costs nothing.  If something in a buffer cannot be understood, reading
   continues with the next buffer.  Its begin is known: in version 1 from the
   header, in version 5 from the buffer's first record.

   A buffer belongs to one thread.  It begins with records of fixed kinds, which
   name the thread and set its clock.  Then records of functions move the clock
   on by ticks.  A record has 8 or 16 bytes and perhaps data behind it.

   Functions that return bool return false if something failed. */

#include "lib/dcfg_xray.h"

#include "format/xray_files.h"
#include "lib/base/input.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The smallest buffer of version 1: three records at its begin, one at its
   end. */
#define SMALLEST_BUFFER (4 * XRAY_METADATA_SIZE)

typedef
   struct {
      bool     begun;           // does it have a first tick?
      uint64_t tick;            // the last tick
      uint64_t others;          // instructions of others by then
      uint64_t seconds;         // the last buffer's wall clock
      uint32_t micros;
      int32_t  id;
      uint32_t child[2];        // see find_thread()
   }
   XrayThread;

struct DcfgXray {
   Job            job;
   Input*         in;
   DcfgXrayHeader header;
   uint8_t        window[65536];
   size_t         at, n;        // position and size in .window
   uint64_t       pos;          // position in the file
   bool           at_end;       // the file has been read
   bool           failed;       // the job has the error
   bool           told_empty;
   Array          threads;      // XrayThread
   uint64_t       n_buffers;
   uint64_t       n_records;    // in the present buffer
   bool           in_buffer;
   uint64_t       buffer_end;   // position in the file
   uint32_t       thread;       // the present buffer's thread
   bool           with_args;    // may an argument follow?
   int32_t        process;
   uint64_t       first_tick;   // the first thread's; 0: none yet
   uint8_t*       event;        // data of the last event
   uint64_t       event_size;
};

/* Names of kinds, for messages. */
static const char* const xray_kind_names[XRAY_N_KINDS] = {
   "NewBuffer", "EndOfBuffer", "NewCPUId", "TSCWrap", "WallClock",
   "CustomEvent", "CallArgument", "BufferExtents", "TypedEvent", "Pid"
};

/* How many of the 15 bytes behind a record's first one have a meaning. */
static const uint8_t kind_used[XRAY_N_KINDS] = {
   4, 0, 10, 8, 12, 12, 8, 8, 10, 4
};

/* The records at a buffer's begin.  Version 1 does not have the first one, and need
   not have the process. */
static const uint8_t buffer_head[] = {
   XrayBufferExtents, XrayNewBuffer, XrayWallClock, XrayPid,
   XrayNewCpu
};

/*--- Bytes                                                ---*/

static inline const uint8_t* xray_here(const DcfgXray* log)
{
   return log->window + log->at;
}

static inline void xray_pass(DcfgXray* log, size_t n)
{
   log->at += n;
   log->pos += n;
}

/* Return a number of BYTES bytes. */
static uint64_t xray_number(const uint8_t* p, int bytes)
{
   uint64_t n = 0;

   while (bytes-- > 0)
      n = n << 8 | p[bytes];
   return n;
}

/* Make at least N bytes available, a small number, or all that are left. Return
   how many there are; the first one is at xray_here(). */
static size_t xray_look(DcfgXray* log, size_t n)
{
   while (log->n - log->at < n && !log->at_end) {
      size_t got;
      memmove(log->window, log->window + log->at, log->n - log->at);
      log->n -= log->at;
      log->at = 0;
      if (!input_read(log->in, log->window + log->n,
                      sizeof(log->window) - log->n, &got)) {
         log->failed = log->at_end = true;
         break;
      }
      log->n += got;
      log->at_end = got == 0;
   }
   return log->n - log->at;
}

/* Skip to POS, or to the end of the file.  *NOT_ZERO becomes true if a skipped
   byte is not 0. */
static void pass_to(DcfgXray* log, uint64_t pos, bool* not_zero)
{
   while (log->pos < pos) {
      size_t n = xray_look(log, 1);
      if (n == 0)
         return;
      if (n > pos - log->pos)
         n = (size_t)(pos - log->pos);
      for (size_t i = 0; i < n && !*not_zero; i++)
         *not_zero = xray_here(log)[i] != 0;
      xray_pass(log, n);
   }
}

/*--- Rules                                                ---*/

/* Report a broken rule.  FATAL: the record cannot be used. */
static bool xray_problem(DcfgXray* log, bool fatal, const char* rule,
                  const char* format, ...)
{
   char    place[80] = "", what[160];
   va_list args;

   if (log->n_buffers > 0)
      snprintf(place, sizeof(place), "BUFFERS[%" PRIu64 "].RECORDS[%" PRIu64
               "]", log->n_buffers - 1, log->n_records);
   va_start(args, format);
   vsnprintf(what, sizeof(what), format, args);
   va_end(args);
   job_at(&log->job, log->pos);
   if (job_problem(&log->job, DCFG_PROBLEM_RULE, fatal, rule, place, "%s",
                   what))
      return true;
   log->failed = true;
   return false;
}

/* Report that the file ends inside a buffer. */
static bool xray_cut(DcfgXray* log)
{
   bool ignored = true;

   log->in_buffer = false;
   if (log->failed
       || !xray_problem(log, true, "cut", "the file ends within a buffer"))
      return false;
   pass_to(log, UINT64_MAX, &ignored);
   return true;
}

/* Check that the metadata record at P, of this KIND, has zeros where it
   must. */
static bool xray_check_reserved(DcfgXray* log, const uint8_t* p, int kind)
{
   for (unsigned i = 1u + kind_used[kind]; i < XRAY_METADATA_SIZE; i++)
      if (p[i] != 0)
         return xray_problem(log, false, "reserved",
                             "byte %d of a %s is not 0", i,
                             xray_kind_names[kind]);
   return true;
}

/*--- Threads                                              ---*/

static inline XrayThread* xray_thread(DcfgXray* log)
{
   return &ELEM(log->threads, XrayThread, log->thread);
}

/* Return the thread with this id, which may be new; DCFG_NONE without memory.
   Threads are nodes of a binary tree by bits of the id, the lowest first, so no
   path is longer than an id. */
static uint32_t find_thread(DcfgXray* log, int32_t id)
{
   uint32_t    i = log->threads.n > 0 ? 0 : DCFG_NONE, parent = DCFG_NONE;
   uint32_t    bits = (uint32_t)id, side = 0;
   XrayThread* t;

   while (i != DCFG_NONE) {
      t = &ELEM(log->threads, XrayThread, i);
      if (t->id == id)
         return i;
      side = bits & 1;
      bits >>= 1;
      parent = i;
      i = t->child[side];
   }
   t = array_add(&log->job, &log->threads, sizeof(XrayThread));
   if (t == NULL)
      return DCFG_NONE;
   t->id = id;
   t->child[0] = t->child[1] = DCFG_NONE;
   i = (uint32_t)log->threads.n - 1;
   if (parent != DCFG_NONE)
      ELEM(log->threads, XrayThread, parent).child[side] = i;
   return i;
}

/* Set the present thread's tick, which must not decrease. */
static bool xray_set_tick(DcfgXray* log, uint64_t tick)
{
   XrayThread* t = xray_thread(log);
   uint64_t    before = t->tick;

   t->tick = tick;
   return tick >= before
          || xray_problem(log, false, "tick-order", "tick %" PRIu64
                          " behind %" PRIu64, tick, before);
}

/* Note a function's record at the thread's present tick. */
static bool xray_begin_thread(DcfgXray* log)
{
   XrayThread* t = xray_thread(log);

   if (t->begun)
      return true;
   t->begun = true;
   if (t->tick == 0)
      return xray_problem(log, false, "first-tick", "thread %" PRId32
                          " begins at tick 0", t->id);
   if (log->first_tick == 0)
      log->first_tick = t->tick;
   return t->tick == log->first_tick
          || xray_problem(log, false, "first-tick", "thread %" PRId32
                          " begins at tick %" PRIu64 ", the first thread at %"
                          PRIu64, t->id, t->tick, log->first_tick);
}

/*--- Buffers                                              ---*/

/* Check a NewCPUId. */
static bool xray_take_cpu(DcfgXray* log, const uint8_t* p)
{
   unsigned cpu = (unsigned)xray_number(p + 1, 2);

   if (cpu != 0
       && !xray_problem(log, false, "cpu", "processor %u, not 0", cpu))
      return false;
   return xray_set_tick(log, xray_number(p + 3, 8));
}

static bool take_clock(DcfgXray* log, const uint8_t* p, bool first)
{
   XrayThread* t = xray_thread(log);
   uint64_t    seconds = xray_number(p + 1, 8);
   uint32_t    micros = (uint32_t)xray_number(p + 9, 4);
   bool        later = first
                       || (seconds > t->seconds && micros > t->micros);

   t->seconds = seconds;
   t->micros = micros;
   return later
          || xray_problem(log, false, "wall-clock", "%" PRIu64 " s and %" PRIu32
                          " us are not both more than those of the buffer "
                          "before of thread %" PRId32, seconds, micros, t->id);
}

static bool take_process(DcfgXray* log, const uint8_t* p)
{
   int32_t process = (int32_t)xray_number(p + 1, 4);

   if (log->process == 0 && process > 0)
      log->process = process;
   if (process <= 0)
      return xray_problem(log, false, "process", "process %" PRId32, process);
   return process == log->process
          || xray_problem(log, false, "process", "process %" PRId32
                          ", in another buffer %" PRId32, process,
                          log->process);
}

static bool take_thread(DcfgXray* log, const uint8_t* p, bool* first)
{
   int32_t  id = (int32_t)xray_number(p + 1, 4);
   uint32_t known = (uint32_t)log->threads.n;

   log->thread = find_thread(log, id);
   *first = log->thread == known;
   if (log->thread == DCFG_NONE) {
      log->failed = true;
      return false;
   }
   return id > 0
          || xray_problem(log, false, "thread", "thread %" PRId32
                          ": numbers begin at 1", id);
}

/* Handle a record at a buffer's begin.  *FIRST: this is the thread's first
   buffer. */
static bool take_head(DcfgXray* log, const uint8_t* p, int kind, bool* first)
{
   switch (kind) {
      case XrayBufferExtents:
         log->buffer_end = add_capped(log->pos + XRAY_METADATA_SIZE,
                                      xray_number(p + 1, 8));
         return true;
      case XrayNewBuffer: return take_thread(log, p, first);
      case XrayWallClock: return take_clock(log, p, *first);
      case XrayPid:        return take_process(log, p);
      default:              return xray_take_cpu(log, p);
   }
}

/* Skip the rest of a buffer. */
static void xray_leave_buffer(DcfgXray* log)
{
   bool ignored = true;

   pass_to(log, log->buffer_end, &ignored);
   log->in_buffer = false;
}

/* Report that the record here is not of KIND, as it must be. */
static bool bad_head(DcfgXray* log, int kind)
{
   if (!xray_problem(log, true, "buffer-head", "a buffer's record %" PRIu64
                     " must be a %s%s", log->n_records, xray_kind_names[kind],
                     log->buffer_end == UINT64_MAX
                     ? ": nothing behind it can be read" : ""))
      return false;
   xray_leave_buffer(log);
   return true;
}

/* Read the first records of a buffer. */
static bool xray_begin_buffer(DcfgXray* log)
{
   bool v1 = log->header.version == 1, first = false;

   log->n_buffers++;
   log->n_records = 0;
   log->with_args = false;
   log->in_buffer = true;
   log->buffer_end = v1 ? add_capped(log->pos, log->header.buffer_size)
                     : UINT64_MAX;
   for (size_t i = v1; i < sizeof(buffer_head); i++) {
      const int      kind = buffer_head[i];
      const uint8_t* p;
      if (log->buffer_end - log->pos < XRAY_METADATA_SIZE)
         return bad_head(log, kind);
      if (xray_look(log, XRAY_METADATA_SIZE) < XRAY_METADATA_SIZE)
         return xray_cut(log);
      p = xray_here(log);
      if (v1 && kind == XrayPid && p[0] != (kind << 1 | 1))
         continue;
      if (p[0] != (kind << 1 | 1))
         return bad_head(log, kind);
      if (!take_head(log, p, kind, &first)
          || !xray_check_reserved(log, p, kind))
         return false;
      xray_pass(log, XRAY_METADATA_SIZE);
      log->n_records++;
   }
   return true;
}

/* Handle an EndOfBuffer of version 1. */
static bool xray_end_buffer(DcfgXray* log)
{
   bool not_zero = false;

   pass_to(log, log->buffer_end, &not_zero);
   if (log->pos < log->buffer_end)
      return xray_cut(log);
   log->in_buffer = false;
   return !not_zero || xray_problem(log, false, "buffer-padding",
                                    "bytes behind EndOfBuffer are not 0");
}

/* Handle the end of a buffer without room for another record. */
static bool xray_buffer_is_full(DcfgXray* log)
{
   if (log->header.version == 1) {
      if (!xray_problem(log, false, "buffer-end",
                        "the buffer has no EndOfBuffer"))
         return false;
   } else if (log->pos < log->buffer_end
              && !xray_problem(log, false, "buffer-extents",
                               "the buffer ends within a record")) {
      return false;
   }
   xray_leave_buffer(log);
   return true;
}

/*--- Opening and closing                                  ---*/

static bool check_header(DcfgXray* log, uint32_t flags, uint64_t reserved)
{
   const DcfgXrayHeader* h = &log->header;

   if (flags != 3
       && !xray_problem(log, false, "header-flags", "the flags are 0x%" PRIx32
                        ", not 0x3", flags))
      return false;
   if (h->frequency != 1000000
       && !xray_problem(log, false, "header-frequency", "%" PRIu64
                        " ticks a second, not 1000000", h->frequency))
      return false;
   if (h->buffer_size % 8 != 0
       && !xray_problem(log, false, "header-size", "buffers of %" PRIu64
                        " bytes, which is no multiple of 8", h->buffer_size))
      return false;
   return reserved == 0
          || xray_problem(log, false, "header-reserved",
                          "the last field of the header is not 0");
}

static bool read_header(DcfgXray* log)
{
   const uint8_t* p;
   unsigned       type;

   if (xray_look(log, XRAY_HEADER_SIZE) < XRAY_HEADER_SIZE)
      return job_fail(&log->job, DCFG_ERROR_FORMAT, NULL,
                      "too short for an XRay log");
   p = xray_here(log);
   log->header.version = (uint32_t)xray_number(p, 2);
   type = (unsigned)xray_number(p + 2, 2);
   log->header.frequency = xray_number(p + 8, 8);
   log->header.buffer_size = xray_number(p + 16, 8);
   if (type != 1 || (log->header.version != 1 && log->header.version != 5))
      return job_fail(&log->job, DCFG_ERROR_FORMAT, NULL, "no XRay log of a "
                      "flight data recorder (type 1), version 1 or 5: it "
                      "begins with version %" PRIu32 ", type %u",
                      log->header.version, type);
   if (log->header.version == 1 && log->header.buffer_size < SMALLEST_BUFFER)
      return job_fail(&log->job, DCFG_ERROR_FORMAT, NULL, "buffers of %" PRIu64
                      " bytes, in which there is room for nothing",
                      log->header.buffer_size);
   if (!check_header(log, (uint32_t)xray_number(p + 4, 4),
                     xray_number(p + 24, 8)))
      return false;
   xray_pass(log, XRAY_HEADER_SIZE);
   return true;
}

static DcfgXray* start(DcfgXray* log, Input* in, DcfgError* err)
{
   bool ok;

   log->in = in;
   ok = in != NULL && read_header(log);
   job_tell(&log->job, err);
   if (ok)
      return log;
   dcfg_xray_close(log);
   return NULL;
}

DcfgXray* dcfg_xray_open(const char* path, const DcfgOptions* options,
                         DcfgError* err)
{
   DcfgXray* x = job_object(sizeof(*x), offsetof(DcfgXray, job), path,
                            options, err);

   return x == NULL ? NULL : start(x, input_open(&x->job, path), err);
}

DcfgXray* dcfg_xray_open_memory(const void* data, size_t size,
                                const char* name, const DcfgOptions* options,
                                DcfgError* err)
{
   DcfgXray* x = job_object(sizeof(*x), offsetof(DcfgXray, job), name,
                            options, err);

   return x == NULL ? NULL
          : start(x, input_open_memory(&x->job, data, size), err);
}

void dcfg_xray_close(DcfgXray* log)
{
   if (log == NULL)
      return;
   input_close(log->in);
   array_free(&log->job, &log->threads, sizeof(XrayThread));
   job_free(&log->job, log->event, (size_t)log->event_size);
   free(log);
}

const DcfgXrayHeader* dcfg_xray_header(const DcfgXray* log)
{
   return &log->header;
}

uint32_t dcfg_xray_threads(const DcfgXray* log)
{
   return (uint32_t)log->threads.n;
}

uint64_t dcfg_xray_buffers(const DcfgXray* log)
{
   return log->n_buffers;
}

int32_t dcfg_xray_process(const DcfgXray* log)
{
   return log->process;
}

/*--- Records                                              ---*/

/* Below, *HAVE becomes true if the record is one for the user. */

/* Report a record that cannot be here; the rest of the buffer is skipped. */
static bool bad_record(DcfgXray* log, const char* format, ...)
            __attribute__((format(printf, 2, 3)));

static bool bad_record(DcfgXray* log, const char* format, ...)
{
   char    what[80];
   va_list args;

   va_start(args, format);
   vsnprintf(what, sizeof(what), format, args);
   va_end(args);
   if (!xray_problem(log, true, "record", "%s", what))
      return false;
   xray_leave_buffer(log);
   return true;
}

/* Make room for SIZE bytes of the event, whose size is said to be WHOLE.  Take
   at most twice as much as has been read. */
static bool event_room(DcfgXray* log, uint64_t size, uint64_t whole)
{
   uint64_t room = mul_capped(log->event_size, 2);
   uint8_t* event;

   if (size <= log->event_size)
      return true;
   room = room > whole ? whole : room < size ? size : room;
   event = job_realloc(&log->job, log->event, (size_t)log->event_size,
                       (size_t)room);
   if (event == NULL) {
      log->failed = true;
      return false;
   }
   log->event = event;
   log->event_size = room;
   return true;
}

/* The event R tells what others have executed. */
static bool take_others(DcfgXray* log, DcfgXrayRecord* r)
{
   XrayThread* t = xray_thread(log);
   uint64_t    before = t->others;

   r->kind = DCFG_XRAY_OTHERS;
   r->value = t->others = xray_number(log->event + sizeof(XRAY_OTHERS), 8);
   r->data = NULL;
   return t->others >= before
          || xray_problem(log, false, "others-order", "other threads have "
                          "executed %" PRIu64 " instructions, before %" PRIu64,
                          t->others, before);
}

static bool take_event(DcfgXray* log, DcfgXrayRecord* r, bool* have)
{
   uint64_t got = 0;

   while (got < r->value) {
      size_t n = xray_look(log, 1);
      if (n == 0)
         return xray_cut(log);
      if (n > r->value - got)
         n = (size_t)(r->value - got);
      if (!event_room(log, got + n, r->value))
         return false;
      memcpy(log->event + got, xray_here(log), n);
      got += n;
      xray_pass(log, n);
   }
   r->kind = DCFG_XRAY_EVENT;
   r->data = log->event;
   *have = true;
   return r->value != XRAY_OTHERS_SIZE
          || memcmp(log->event, XRAY_OTHERS, sizeof(XRAY_OTHERS)) != 0
          || take_others(log, r);
}

/* Read an event's head.  Version 1: i32 size, u64 tick.  Version 5: i32 size,
   i32 ticks since the record before, and for a TypedEvent u16 type. */
static bool take_event_marker(DcfgXray* log, int kind, DcfgXrayRecord* r,
                              bool* have)
{
   const uint8_t* p = xray_here(log);
   uint64_t       left = log->buffer_end - log->pos - XRAY_METADATA_SIZE;
   uint64_t       tick;

   if (log->header.version == 1 && kind == XrayTypedEvent)
      return bad_record(log, "a TypedEvent, which version 1 does not have");
   tick = log->header.version == 1 ? xray_number(p + 5, 8)
          : xray_thread(log)->tick + xray_number(p + 5, 4);
   r->value = xray_number(p + 1, 4);
   if (r->value > INT32_MAX || r->value > left)
      return bad_record(log, "an event that is longer than its buffer");
   if (!xray_set_tick(log, tick))
      return false;
   xray_pass(log, XRAY_METADATA_SIZE);
   return take_event(log, r, have);
}

static bool take_argument(DcfgXray* log, DcfgXrayRecord* r, bool expected,
                          bool* have)
{
   log->with_args = expected;
   if (!expected
       && !xray_problem(log, false, "argument", "an argument that follows no "
                        "entry with arguments"))
      return false;
   r->kind = DCFG_XRAY_ARGUMENT;
   r->value = xray_number(xray_here(log) + 1, 8);
   *have = expected;
   return true;
}

static bool take_end(DcfgXray* log)
{
   if (log->header.version != 1)
      return xray_problem(log, false, "buffer-end", "an EndOfBuffer, which "
                          "version 5 does not have");
   return true;
}

static bool take_metadata(DcfgXray* log, DcfgXrayRecord* r, bool* have)
{
   const uint8_t* p = xray_here(log);
   int            kind = p[0] >> 1;
   bool           with_args = log->with_args, ok;

   log->with_args = false;
   if (kind >= XRAY_N_KINDS)
      return bad_record(log, "a record of the unknown kind %d", kind);
   if (!xray_check_reserved(log, p, kind))
      return false;
   switch (kind) {
      case XrayEndOfBuffer:
         ok = take_end(log);
         break;
      case XrayNewCpu:
         ok = xray_take_cpu(log, p);
         break;
      case XrayTscWrap:
         ok = xray_set_tick(log, xray_number(p + 1, 8));
         break;
      case XrayCallArgument:
         ok = take_argument(log, r, with_args, have);
         break;
      case XrayCustomEvent:
      case XrayTypedEvent:
         return take_event_marker(log, kind, r, have);
      default:
         return bad_record(log, "a %s, which belongs to a buffer's head",
                           xray_kind_names[kind]);
   }
   if (!ok)
      return false;
   xray_pass(log, XRAY_METADATA_SIZE);
   return kind != XrayEndOfBuffer || log->header.version != 1
          || xray_end_buffer(log);
}

static bool take_function(DcfgXray* log, DcfgXrayRecord* r, bool* have)
{
   uint32_t word = (uint32_t)xray_number(xray_here(log), 4);
   uint32_t action = word >> 1 & 7;
   uint64_t delta = xray_number(xray_here(log) + 4, 4);

   if (action > DCFG_XRAY_ENTER_ARGS)
      return bad_record(log, "a function's record with the unknown action %"
                        PRIu32, action);
   if (!xray_set_tick(log, xray_thread(log)->tick + delta)
       || !xray_begin_thread(log))
      return false;
   r->kind = (DcfgXrayKind)action;
   r->function = word >> 4;
   log->with_args = action == DCFG_XRAY_ENTER_ARGS;
   if (r->function == 0
       && !xray_problem(log, true, "function-id", "function 0"))
      return false;
   *have = r->function != 0;
   xray_pass(log, XRAY_FUNCTION_SIZE);
   return true;
}

/* Read one record of the file. */
static bool step(DcfgXray* log, DcfgXrayRecord* r, bool* have)
{
   uint64_t left = log->buffer_end - log->pos;
   size_t   size;
   bool     ok;

   if (left < XRAY_FUNCTION_SIZE)
      return xray_buffer_is_full(log);
   if (xray_look(log, XRAY_FUNCTION_SIZE) < XRAY_FUNCTION_SIZE)
      return xray_cut(log);
   size = xray_here(log)[0] & 1 ? XRAY_METADATA_SIZE : XRAY_FUNCTION_SIZE;
   if (left < size)
      return xray_buffer_is_full(log);
   if (xray_look(log, size) < size)
      return xray_cut(log);
   *r = (DcfgXrayRecord){ .thread = log->thread,
                          .thread_id = xray_thread(log)->id,
                          .buffer = log->n_buffers - 1,
                          .number = log->n_records, .offset = log->pos };
   ok = size == XRAY_METADATA_SIZE ? take_metadata(log, r, have)
        : take_function(log, r, have);
   r->tick = xray_thread(log)->tick;
   log->n_records++;
   return ok;
}

/* Read the next record for the user.  Return False at the end, or after a
   failure. */
static bool next_record(DcfgXray* log, DcfgXrayRecord* r)
{
   bool have = false;

   while (!have) {
      if (log->failed)
         return false;
      if (log->in_buffer) {
         if (!step(log, r, &have))
            return false;
      } else if (xray_look(log, 1) > 0) {
         if (!xray_begin_buffer(log))
            return false;
      } else {
         if (log->n_buffers == 0 && !log->failed && !log->told_empty)
            xray_problem(log, false, "empty", "there is no buffer");
         log->told_empty = true;
         return false;
      }
   }
   return true;
}

size_t dcfg_xray_next(DcfgXray* log, DcfgXrayRecord* records, size_t max,
                      DcfgError* err)
{
   size_t n = 0;

   while (n < max && next_record(log, &records[n]))
      if (records[n++].kind == DCFG_XRAY_EVENT)
         break;
   /* Records before an error are returned first. */
   if (n == 0)
      job_tell(&log->job, err);
   else if (err != NULL)
      memset(err, 0, sizeof(*err));
   return n;
}
