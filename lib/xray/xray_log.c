/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading XRay logs. */

/* Owns: the header and the records of XRay logs.  Handed: buffers by
   xray_buffer.c.  Taken by: users. */

#include "lib/xray/xray_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The smallest buffer of version 1: three records at its begin, one at its
   end. */
#define SMALLEST_BUFFER (4 * XRAY_METADATA_SIZE)

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
