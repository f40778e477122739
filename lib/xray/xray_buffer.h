/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Shared by the parts of the reader of XRay logs. */

#ifndef DCFG_XRAY_BUFFER_H
#define DCFG_XRAY_BUFFER_H

#include "lib/dcfg_xray.h"
#include "format/xray_records.h"
#include "lib/base/input.h"

#include <inttypes.h>

/* Names of kinds, for messages. */
extern const char* const xray_kind_names[XRAY_N_KINDS];

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

/* Functions that return bool return false if something failed. */

/* --- Bytes --- */

/* Return a number of BYTES bytes. */
uint64_t xray_number(const uint8_t* p, int bytes);

/* Make at least N bytes available, a small number, or all that are left. Return
   how many there are; the first one is at xray_here(). */
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

/* Report a broken rule.  FATAL: the record cannot be used. */
bool xray_problem(DcfgXray* x, bool fatal, const char* rule,
                  const char* format, ...)
     __attribute__((format(printf, 4, 5)));

/* Report that the file ends inside a buffer. */
bool xray_cut(DcfgXray* x);

/* Check that the metadata record at P, of this KIND, has zeros where it
   must. */
bool xray_check_reserved(DcfgXray* x, const uint8_t* p, int kind);

/* --- Threads --- */

static inline XrayThread* xray_thread(DcfgXray* x)
{
   return &ELEM(x->threads, XrayThread, x->thread);
}

/* Set the present thread's tick, which must not decrease. */
bool xray_set_tick(DcfgXray* x, uint64_t tick);

/* Note a function's record at the thread's present tick. */
bool xray_begin_thread(DcfgXray* x);

/* --- Buffers --- */

/* Check a NewCPUId. */
bool xray_take_cpu(DcfgXray* x, const uint8_t* p);

/* Read the first records of a buffer. */
bool xray_begin_buffer(DcfgXray* x);

/* Handle an EndOfBuffer of version 1. */
bool xray_end_buffer(DcfgXray* x);

/* Handle the end of a buffer without room for another record. */
bool xray_buffer_is_full(DcfgXray* x);

/* Skip the rest of a buffer. */
void xray_leave_buffer(DcfgXray* x);

#endif /* DCFG_XRAY_BUFFER_H */
