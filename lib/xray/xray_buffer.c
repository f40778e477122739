/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Buffers and clocks of XRay logs. */

/* Owns: the buffers of XRay logs, and each thread's clock.  Handed: bytes by
   input.c.  Taken by: xray_log.c.

   A log is read front to back, a few bytes at a time, so the claimed size of a
   buffer costs nothing.  If something in a buffer cannot be understood, reading
   continues with the next buffer.  Its begin is known: in version 1 from the
   header, in version 5 from the buffer's first record. */

#include "lib/xray/xray_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char* const xray_kind_names[XRAY_N_KINDS] = {
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

uint64_t xray_number(const uint8_t* p, int bytes)
{
   uint64_t n = 0;

   while (bytes-- > 0)
      n = n << 8 | p[bytes];
   return n;
}

size_t xray_look(DcfgXray* x, size_t n)
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

bool xray_problem(DcfgXray* x, bool fatal, const char* rule,
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

bool xray_cut(DcfgXray* x)
{
   bool ignored = true;

   x->in_buffer = false;
   if (x->failed
       || !xray_problem(x, true, "cut", "the file ends within a buffer"))
      return false;
   pass_to(x, UINT64_MAX, &ignored);
   return true;
}

bool xray_check_reserved(DcfgXray* x, const uint8_t* p, int kind)
{
   for (unsigned i = 1u + kind_used[kind]; i < XRAY_METADATA_SIZE; i++)
      if (p[i] != 0)
         return xray_problem(x, false, "reserved",
                             "byte %d of a %s is not 0", i,
                             xray_kind_names[kind]);
   return true;
}

/*--- Threads                                              ---*/

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

bool xray_set_tick(DcfgXray* x, uint64_t tick)
{
   XrayThread* t = xray_thread(x);
   uint64_t    before = t->tick;

   t->tick = tick;
   return tick >= before
          || xray_problem(x, false, "tick-order", "tick %" PRIu64
                          " behind %" PRIu64, tick, before);
}

bool xray_begin_thread(DcfgXray* x)
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

bool xray_take_cpu(DcfgXray* x, const uint8_t* p)
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

bool xray_begin_buffer(DcfgXray* x)
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

bool xray_end_buffer(DcfgXray* x)
{
   bool not_zero = false;

   pass_to(x, x->buffer_end, &not_zero);
   if (x->pos < x->buffer_end)
      return xray_cut(x);
   x->in_buffer = false;
   return !not_zero || xray_problem(x, false, "buffer-padding",
                                    "bytes behind EndOfBuffer are not 0");
}

bool xray_buffer_is_full(DcfgXray* x)
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

void xray_leave_buffer(DcfgXray* x)
{
   bool ignored = true;

   pass_to(x, x->buffer_end, &ignored);
   x->in_buffer = false;
}
