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

/* The records at a buffer's begin. */
static const uint8_t head_1[] = {
   XrayNewBuffer, XrayWallClock, XrayNewCpu
};
static const uint8_t head_5[] = {
   XrayBufferExtents, XrayNewBuffer, XrayWallClock, XrayPid,
   XrayNewCpu
};

/*--- Bytes                                                ---*/

static inline const uint8_t* xray_here(const DcfgXray* x)
{
   return x->window + x->at;
}

static inline void xray_pass(DcfgXray* x, size_t n)
{
   x->at += n;
   x->pos += n;
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
static size_t xray_look(DcfgXray* x, size_t n)
{
   while (x->n - x->at < n && !x->at_end) {
      size_t got;
      memmove(x->window, x->window + x->at, x->n - x->at);
      x->n -= x->at;
      x->at = 0;
      if (!input_read(x->in, x->window + x->n, sizeof(x->window) - x->n,
                      &got)) {
         x->failed = x->at_end = true;
         break;
      }
      x->n += got;
      x->at_end = got == 0;
   }
   return x->n - x->at;
}

/* Skip to POS, or to the end of the file.  *NOT_ZERO becomes true if a skipped
   byte is not 0. */
static void pass_to(DcfgXray* x, uint64_t pos, bool* not_zero)
{
   while (x->pos < pos) {
      size_t n = xray_look(x, 1);
      if (n == 0)
         return;
      if (n > pos - x->pos)
         n = (size_t)(pos - x->pos);
      for (size_t i = 0; i < n && !*not_zero; i++)
         *not_zero = xray_here(x)[i] != 0;
      xray_pass(x, n);
   }
}

/*--- Rules                                                ---*/

/* Report a broken rule.  FATAL: the record cannot be used. */
static bool xray_problem(DcfgXray* x, bool fatal, const char* rule,
                  const char* format, ...)
{
   char    place[80] = "", what[160];
   va_list args;

   if (x->n_buffers > 0)
      snprintf(place, sizeof(place), "BUFFERS[%" PRIu64 "].RECORDS[%" PRIu64
               "]", x->n_buffers - 1, x->n_records);
   va_start(args, format);
   vsnprintf(what, sizeof(what), format, args);
   va_end(args);
   job_at(&x->job, x->pos);
   if (job_problem(&x->job, DCFG_PROBLEM_RULE, fatal, rule, place, "%s",
                   what))
      return true;
   x->failed = true;
   return false;
}

/* Report that the file ends inside a buffer. */
static bool xray_cut(DcfgXray* x)
{
   bool ignored = true;

   x->in_buffer = false;
   if (x->failed
       || !xray_problem(x, true, "cut", "the file ends within a buffer"))
      return false;
   pass_to(x, UINT64_MAX, &ignored);
   return true;
}

/* Check that the metadata record at P, of this KIND, has zeros where it
   must. */
static bool xray_check_reserved(DcfgXray* x, const uint8_t* p, int kind)
{
   for (unsigned i = 1u + kind_used[kind]; i < XRAY_METADATA_SIZE; i++)
      if (p[i] != 0)
         return xray_problem(x, false, "reserved",
                             "byte %d of a %s is not 0", i,
                             xray_kind_names[kind]);
   return true;
}

/*--- Threads                                              ---*/

static inline XrayThread* xray_thread(DcfgXray* x)
{
   return &ELEM(x->threads, XrayThread, x->thread);
}

/* Return the thread with this id, which may be new; DCFG_NONE without memory.
   Threads are nodes of a binary tree by bits of the id, the lowest first, so no
   path is longer than an id. */
static uint32_t find_thread(DcfgXray* x, int32_t id)
{
   uint32_t    i = x->threads.n > 0 ? 0 : DCFG_NONE, parent = DCFG_NONE;
   uint32_t    bits = (uint32_t)id, side = 0;
   XrayThread* t;

   while (i != DCFG_NONE) {
      t = &ELEM(x->threads, XrayThread, i);
      if (t->id == id)
         return i;
      side = bits & 1;
      bits >>= 1;
      parent = i;
      i = t->child[side];
   }
   t = array_add(&x->job, &x->threads, sizeof(XrayThread));
   if (t == NULL)
      return DCFG_NONE;
   t->id = id;
   t->child[0] = t->child[1] = DCFG_NONE;
   i = (uint32_t)x->threads.n - 1;
   if (parent != DCFG_NONE)
      ELEM(x->threads, XrayThread, parent).child[side] = i;
   return i;
}

/* Set the present thread's tick, which must not decrease. */
static bool xray_set_tick(DcfgXray* x, uint64_t tick)
{
   XrayThread* t = xray_thread(x);
   uint64_t    before = t->tick;

   t->tick = tick;
   return tick >= before
          || xray_problem(x, false, "tick-order", "tick %" PRIu64
                          " behind %" PRIu64, tick, before);
}

/* Note a function's record at the thread's present tick. */
static bool xray_begin_thread(DcfgXray* x)
{
   XrayThread* t = xray_thread(x);

   if (t->begun)
      return true;
   t->begun = true;
   if (t->tick == 0)
      return xray_problem(x, false, "first-tick", "thread %" PRId32
                          " begins at tick 0", t->id);
   if (x->first_tick == 0)
      x->first_tick = t->tick;
   return t->tick == x->first_tick
          || xray_problem(x, false, "first-tick", "thread %" PRId32
                          " begins at tick %" PRIu64 ", the first thread at %"
                          PRIu64, t->id, t->tick, x->first_tick);
}

/*--- Buffers                                              ---*/

/* Check a NewCPUId. */
static bool xray_take_cpu(DcfgXray* x, const uint8_t* p)
{
   unsigned cpu = (unsigned)xray_number(p + 1, 2);

   if (cpu != 0
       && !xray_problem(x, false, "cpu", "processor %u, not 0", cpu))
      return false;
   return xray_set_tick(x, xray_number(p + 3, 8));
}

static bool take_clock(DcfgXray* x, const uint8_t* p, bool first)
{
   XrayThread* t = xray_thread(x);
   uint64_t    seconds = xray_number(p + 1, 8);
   uint32_t    micros = (uint32_t)xray_number(p + 9, 4);
   bool        later = first
                       || (seconds > t->seconds && micros > t->micros);

   t->seconds = seconds;
   t->micros = micros;
   return later
          || xray_problem(x, false, "wall-clock", "%" PRIu64 " s and %" PRIu32
                          " us are not both more than those of the buffer "
                          "before of thread %" PRId32, seconds, micros, t->id);
}

static bool take_process(DcfgXray* x, const uint8_t* p)
{
   int32_t process = (int32_t)xray_number(p + 1, 4);

   if (x->process == 0 && process > 0)
      x->process = process;
   if (process <= 0)
      return xray_problem(x, false, "process", "process %" PRId32, process);
   return process == x->process
          || xray_problem(x, false, "process", "process %" PRId32
                          ", in another buffer %" PRId32, process,
                          x->process);
}

static bool take_thread(DcfgXray* x, const uint8_t* p, bool* first)
{
   int32_t  id = (int32_t)xray_number(p + 1, 4);
   uint32_t known = (uint32_t)x->threads.n;

   x->thread = find_thread(x, id);
   *first = x->thread == known;
   if (x->thread == DCFG_NONE) {
      x->failed = true;
      return false;
   }
   return id > 0
          || xray_problem(x, false, "thread", "thread %" PRId32
                          ": numbers begin at 1", id);
}

/* Handle a record at a buffer's begin.  *FIRST: this is the thread's first
   buffer. */
static bool take_head(DcfgXray* x, const uint8_t* p, int kind, bool* first)
{
   switch (kind) {
      case XrayBufferExtents:
         x->buffer_end = add_capped(x->pos + XRAY_METADATA_SIZE,
                                    xray_number(p + 1, 8));
         return true;
      case XrayNewBuffer: return take_thread(x, p, first);
      case XrayWallClock: return take_clock(x, p, *first);
      case XrayPid:        return take_process(x, p);
      default:              return xray_take_cpu(x, p);
   }
}

/* Skip the rest of a buffer. */
static void xray_leave_buffer(DcfgXray* x)
{
   bool ignored = true;

   pass_to(x, x->buffer_end, &ignored);
   x->in_buffer = false;
}

/* Report that the record here is not of KIND, as it must be. */
static bool bad_head(DcfgXray* x, int kind)
{
   if (!xray_problem(x, true, "buffer-head", "a buffer's record %" PRIu64
                     " must be a %s%s", x->n_records, xray_kind_names[kind],
                     x->buffer_end == UINT64_MAX
                     ? ": nothing behind it can be read" : ""))
      return false;
   xray_leave_buffer(x);
   return true;
}

/* Read the first records of a buffer. */
static bool xray_begin_buffer(DcfgXray* x)
{
   bool           v1 = x->header.version == 1, first = false;
   const uint8_t* head = v1 ? head_1 : head_5;
   size_t         n_head = v1 ? sizeof(head_1) : sizeof(head_5);

   x->n_buffers++;
   x->n_records = 0;
   x->with_args = false;
   x->in_buffer = true;
   x->buffer_end = v1 ? add_capped(x->pos, x->header.buffer_size)
                   : UINT64_MAX;
   for (size_t i = 0; i < n_head; i++) {
      const uint8_t* p;
      if (x->buffer_end - x->pos < XRAY_METADATA_SIZE)
         return bad_head(x, head[i]);
      if (xray_look(x, XRAY_METADATA_SIZE) < XRAY_METADATA_SIZE)
         return xray_cut(x);
      p = xray_here(x);
      if (p[0] != (head[i] << 1 | 1))
         return bad_head(x, head[i]);
      if (!take_head(x, p, head[i], &first)
          || !xray_check_reserved(x, p, head[i]))
         return false;
      xray_pass(x, XRAY_METADATA_SIZE);
      x->n_records++;
   }
   return true;
}

/* Handle an EndOfBuffer of version 1. */
static bool xray_end_buffer(DcfgXray* x)
{
   bool not_zero = false;

   pass_to(x, x->buffer_end, &not_zero);
   if (x->pos < x->buffer_end)
      return xray_cut(x);
   x->in_buffer = false;
   return !not_zero || xray_problem(x, false, "buffer-padding",
                                    "bytes behind EndOfBuffer are not 0");
}

/* Handle the end of a buffer without room for another record. */
static bool xray_buffer_is_full(DcfgXray* x)
{
   if (x->header.version == 1) {
      if (!xray_problem(x, false, "buffer-end",
                        "the buffer has no EndOfBuffer"))
         return false;
   } else if (x->pos < x->buffer_end
              && !xray_problem(x, false, "buffer-extents",
                               "the buffer ends within a record")) {
      return false;
   }
   xray_leave_buffer(x);
   return true;
}

/*--- Opening and closing                                  ---*/

static bool check_header(DcfgXray* x, uint32_t flags, uint64_t reserved)
{
   const DcfgXrayHeader* h = &x->header;

   if (flags != 3
       && !xray_problem(x, false, "header-flags", "the flags are 0x%" PRIx32
                        ", not 0x3", flags))
      return false;
   if (h->frequency != 1000000
       && !xray_problem(x, false, "header-frequency", "%" PRIu64
                        " ticks a second, not 1000000", h->frequency))
      return false;
   if (h->buffer_size % 8 != 0
       && !xray_problem(x, false, "header-size", "buffers of %" PRIu64
                        " bytes, which is no multiple of 8", h->buffer_size))
      return false;
   return reserved == 0
          || xray_problem(x, false, "header-reserved",
                          "the last field of the header is not 0");
}

static bool read_header(DcfgXray* x)
{
   const uint8_t* p;
   unsigned       type;

   if (xray_look(x, XRAY_HEADER_SIZE) < XRAY_HEADER_SIZE)
      return job_fail(&x->job, DCFG_ERROR_FORMAT, NULL,
                      "too short for an XRay log");
   p = xray_here(x);
   x->header.version = (uint32_t)xray_number(p, 2);
   type = (unsigned)xray_number(p + 2, 2);
   x->header.frequency = xray_number(p + 8, 8);
   x->header.buffer_size = xray_number(p + 16, 8);
   if (type != 1 || (x->header.version != 1 && x->header.version != 5))
      return job_fail(&x->job, DCFG_ERROR_FORMAT, NULL, "no XRay log of a "
                      "flight data recorder (type 1), version 1 or 5: it "
                      "begins with version %" PRIu32 ", type %u",
                      x->header.version, type);
   if (x->header.version == 1 && x->header.buffer_size < SMALLEST_BUFFER)
      return job_fail(&x->job, DCFG_ERROR_FORMAT, NULL, "buffers of %" PRIu64
                      " bytes, in which there is room for nothing",
                      x->header.buffer_size);
   if (!check_header(x, (uint32_t)xray_number(p + 4, 4),
                     xray_number(p + 24, 8)))
      return false;
   xray_pass(x, XRAY_HEADER_SIZE);
   return true;
}

static DcfgXray* start(DcfgXray* x, Input* in, DcfgError* err)
{
   bool ok;

   x->in = in;
   ok = in != NULL && read_header(x);
   job_tell(&x->job, err);
   if (ok)
      return x;
   dcfg_xray_close(x);
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

void dcfg_xray_close(DcfgXray* x)
{
   if (x == NULL)
      return;
   input_close(x->in);
   array_free(&x->job, &x->threads, sizeof(XrayThread));
   job_free(&x->job, x->event, (size_t)x->event_size);
   free(x);
}

const DcfgXrayHeader* dcfg_xray_header(const DcfgXray* x)
{
   return &x->header;
}

uint32_t dcfg_xray_threads(const DcfgXray* x)
{
   return (uint32_t)x->threads.n;
}

uint64_t dcfg_xray_buffers(const DcfgXray* x)
{
   return x->n_buffers;
}

int32_t dcfg_xray_process(const DcfgXray* x)
{
   return x->process;
}

/*--- Records                                              ---*/

/* Below, *HAVE becomes true if the record is one for the user. */

/* Report a record that cannot be here; the rest of the buffer is skipped. */
static bool bad_record(DcfgXray* x, const char* format, ...)
            __attribute__((format(printf, 2, 3)));

static bool bad_record(DcfgXray* x, const char* format, ...)
{
   char    what[80];
   va_list args;

   va_start(args, format);
   vsnprintf(what, sizeof(what), format, args);
   va_end(args);
   if (!xray_problem(x, true, "record", "%s", what))
      return false;
   xray_leave_buffer(x);
   return true;
}

/* Make room for SIZE bytes of the event, whose size is said to be WHOLE.  Take
   at most twice as much as has been read. */
static bool event_room(DcfgXray* x, uint64_t size, uint64_t whole)
{
   uint64_t room = mul_capped(x->event_size, 2);
   uint8_t* event;

   if (size <= x->event_size)
      return true;
   room = room > whole ? whole : room < size ? size : room;
   event = job_realloc(&x->job, x->event, (size_t)x->event_size,
                       (size_t)room);
   if (event == NULL) {
      x->failed = true;
      return false;
   }
   x->event = event;
   x->event_size = room;
   return true;
}

static bool take_event(DcfgXray* x, DcfgXrayRecord* r, bool* have)
{
   uint64_t got = 0;

   while (got < r->value) {
      size_t n = xray_look(x, 1);
      if (n == 0)
         return xray_cut(x);
      if (n > r->value - got)
         n = (size_t)(r->value - got);
      if (!event_room(x, got + n, r->value))
         return false;
      memcpy(x->event + got, xray_here(x), n);
      got += n;
      xray_pass(x, n);
   }
   r->kind = DCFG_XRAY_EVENT;
   r->data = x->event;
   *have = true;
   return true;
}

/* Read an event's head.  Version 1: i32 size, u64 tick.  Version 5: i32 size,
   i32 ticks since the record before, and for a TypedEvent u16 type. */
static bool take_event_marker(DcfgXray* x, int kind, DcfgXrayRecord* r,
                              bool* have)
{
   const uint8_t* p = xray_here(x);
   uint64_t       left = x->buffer_end - x->pos - XRAY_METADATA_SIZE;
   uint64_t       tick;

   if (x->header.version == 1 && kind == XrayTypedEvent)
      return bad_record(x, "a TypedEvent, which version 1 does not have");
   tick = x->header.version == 1 ? xray_number(p + 5, 8)
          : xray_thread(x)->tick + xray_number(p + 5, 4);
   r->value = xray_number(p + 1, 4);
   if (r->value > INT32_MAX || r->value > left)
      return bad_record(x, "an event that is longer than its buffer");
   if (!xray_set_tick(x, tick))
      return false;
   xray_pass(x, XRAY_METADATA_SIZE);
   return take_event(x, r, have);
}

static bool take_argument(DcfgXray* x, DcfgXrayRecord* r, bool expected,
                          bool* have)
{
   x->with_args = expected;
   if (!expected
       && !xray_problem(x, false, "argument", "an argument that follows no "
                        "entry with arguments"))
      return false;
   r->kind = DCFG_XRAY_ARGUMENT;
   r->value = xray_number(xray_here(x) + 1, 8);
   *have = expected;
   return true;
}

static bool take_end(DcfgXray* x)
{
   if (x->header.version != 1)
      return xray_problem(x, false, "buffer-end", "an EndOfBuffer, which "
                          "version 5 does not have");
   return true;
}

static bool take_metadata(DcfgXray* x, DcfgXrayRecord* r, bool* have)
{
   const uint8_t* p = xray_here(x);
   int            kind = p[0] >> 1;
   bool           with_args = x->with_args, ok;

   x->with_args = false;
   if (kind >= XRAY_N_KINDS)
      return bad_record(x, "a record of the unknown kind %d", kind);
   if (!xray_check_reserved(x, p, kind))
      return false;
   switch (kind) {
      case XrayEndOfBuffer:
         ok = take_end(x);
         break;
      case XrayNewCpu:
         ok = xray_take_cpu(x, p);
         break;
      case XrayTscWrap:
         ok = xray_set_tick(x, xray_number(p + 1, 8));
         break;
      case XrayCallArgument:
         ok = take_argument(x, r, with_args, have);
         break;
      case XrayCustomEvent:
      case XrayTypedEvent:
         return take_event_marker(x, kind, r, have);
      default:
         return bad_record(x, "a %s, which belongs to a buffer's head",
                           xray_kind_names[kind]);
   }
   if (!ok)
      return false;
   xray_pass(x, XRAY_METADATA_SIZE);
   return kind != XrayEndOfBuffer || x->header.version != 1
          || xray_end_buffer(x);
}

static bool take_function(DcfgXray* x, DcfgXrayRecord* r, bool* have)
{
   uint32_t word = (uint32_t)xray_number(xray_here(x), 4);
   uint32_t action = word >> 1 & 7;
   uint64_t delta = xray_number(xray_here(x) + 4, 4);

   if (action > DCFG_XRAY_ENTER_ARGS)
      return bad_record(x, "a function's record with the unknown action %"
                        PRIu32, action);
   if (!xray_set_tick(x, xray_thread(x)->tick + delta)
       || !xray_begin_thread(x))
      return false;
   r->kind = (DcfgXrayKind)action;
   r->function = word >> 4;
   x->with_args = action == DCFG_XRAY_ENTER_ARGS;
   if (r->function == 0
       && !xray_problem(x, true, "function-id", "function 0"))
      return false;
   *have = r->function != 0;
   xray_pass(x, XRAY_FUNCTION_SIZE);
   return true;
}

/* Read one record of the file. */
static bool step(DcfgXray* x, DcfgXrayRecord* r, bool* have)
{
   uint64_t left = x->buffer_end - x->pos;
   size_t   size;
   bool     ok;

   if (left < XRAY_FUNCTION_SIZE)
      return xray_buffer_is_full(x);
   if (xray_look(x, XRAY_FUNCTION_SIZE) < XRAY_FUNCTION_SIZE)
      return xray_cut(x);
   size = xray_here(x)[0] & 1 ? XRAY_METADATA_SIZE : XRAY_FUNCTION_SIZE;
   if (left < size)
      return xray_buffer_is_full(x);
   if (xray_look(x, size) < size)
      return xray_cut(x);
   *r = (DcfgXrayRecord){ .thread = x->thread,
                          .thread_id = xray_thread(x)->id,
                          .buffer = x->n_buffers - 1,
                          .number = x->n_records, .offset = x->pos };
   ok = size == XRAY_METADATA_SIZE ? take_metadata(x, r, have)
        : take_function(x, r, have);
   r->tick = xray_thread(x)->tick;
   x->n_records++;
   return ok;
}

/* Read the next record for the user.  Return False at the end, or after a
   failure. */
static bool next_record(DcfgXray* x, DcfgXrayRecord* r)
{
   bool have = false;

   while (!have) {
      if (x->failed)
         return false;
      if (x->in_buffer) {
         if (!step(x, r, &have))
            return false;
      } else if (xray_look(x, 1) > 0) {
         if (!xray_begin_buffer(x))
            return false;
      } else {
         if (x->n_buffers == 0 && !x->failed && !x->told_empty)
            xray_problem(x, false, "empty", "there is no buffer");
         x->told_empty = true;
         return false;
      }
   }
   return true;
}

size_t dcfg_xray_next(DcfgXray* x, DcfgXrayRecord* records, size_t max,
                      DcfgError* err)
{
   size_t n = 0;

   while (n < max && next_record(x, &records[n]))
      if (records[n++].kind == DCFG_XRAY_EVENT)
         break;
   /* Records before an error are returned first. */
   if (n == 0)
      job_tell(&x->job, err);
   else if (err != NULL)
      memset(err, 0, sizeof(*err));
   return n;
}
