/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading XRay logs: what its parts share. */

#ifndef DCFG_XRAY_BUFFER_H
#define DCFG_XRAY_BUFFER_H

#include "lib/dcfg_xray.h"
#include "format/xray_records.h"
#include "lib/base/input.h"

#include <inttypes.h>

/* Their names, for messages. */
extern const char* const xray_kind_names[XRAY_N_KINDS];

typedef
   struct {
      bool     begun;           // it has a first tick
      uint64_t tick;            // the last one
      uint64_t seconds;         // of its last buffer
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
   size_t         at, n;        // in it
   uint64_t       pos;          // in the file
   bool           at_end;       // of the file
   bool           failed;       // the job has the reason
   bool           told_empty;
   Array          threads;      // XrayThread
   uint64_t       n_buffers;
   uint64_t       n_records;    // in the buffer
   bool           in_buffer;
   uint64_t       buffer_end;   // in the file
   uint32_t       thread;       // the buffer's
   bool           with_args;    // an argument may come
   int32_t        process;
   uint64_t       first_tick;   // of the first thread; or 0
   uint8_t*       event;        // data of the last one
   uint64_t       event_size;
};

/* The functions that return bool are false if something failed. */

/* --- Bytes --- */

/* A number of so many BYTES. */
uint64_t xray_number(const uint8_t* p, int bytes);

/* At least N of the next bytes, which are few, or all that there are.
   Returns how many; the first is at xray_here(). */
size_t   xray_look(DcfgXray* x, size_t n);

static inline const uint8_t* xray_here(const DcfgXray* x)
{
   return x->window + x->at;
}

static inline void xray_pass(DcfgXray* x, size_t n)
{
   x->at += n;
   x->pos += n;
}

/* --- Rules --- */

/* A rule is broken.  FATAL: what is there cannot be used. */
bool xray_problem(DcfgXray* x, bool fatal, const char* rule,
                  const char* format, ...)
     __attribute__((format(printf, 4, 5)));

/* The file ends in a buffer. */
bool xray_cut(DcfgXray* x);

/* Has the metadata record at P, of this KIND, zeros where it must? */
bool xray_check_reserved(DcfgXray* x, const uint8_t* p, int kind);

/* --- Threads --- */

static inline XrayThread* xray_thread(DcfgXray* x)
{
   return &ELEM(x->threads, XrayThread, x->thread);
}

/* The present thread's tick is now TICK, which must not be below the last
   one. */
bool xray_set_tick(DcfgXray* x, uint64_t tick);

/* A function's record at the thread's present tick. */
bool xray_begin_thread(DcfgXray* x);

/* --- Buffers --- */

/* A NewCPUId. */
bool xray_take_cpu(DcfgXray* x, const uint8_t* p);

/* From the first record of a buffer to what is behind its head. */
bool xray_begin_buffer(DcfgXray* x);

/* At an EndOfBuffer's end, in version 1. */
bool xray_end_buffer(DcfgXray* x);

/* Here the buffer has no room for another record. */
bool xray_buffer_is_full(DcfgXray* x);

/* Pass the rest, which is of no use. */
void xray_leave_buffer(DcfgXray* x);

#endif /* DCFG_XRAY_BUFFER_H */
