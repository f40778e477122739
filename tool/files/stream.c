/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Streams: byte sequences too long for memory. */

/* Owns: the places of a stream's bytes.  Handed: bytes, by
   tool/trace/record.c, tool/xray/flight.c and tool/uftrace/output_uftrace.c while
   the program runs, and by tool/trace/output_trace.c while a trace is
   encoded.

   A stream is a list of extents of MAX_BUFFER bytes, and a buffer for the
   next bytes.  The first extents of all streams stay in memory, which is
   cheaper than a file.  The others go to the file that all streams share
   (tool/files/spool_file.c).  Extents of a stream that is saved have heads
   there, and its last extent is written before it is full, each time to
   another place. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#include "tool/files/spool_file.h"
#include "tool/files/stream.h"
#include "format/spool_extents.h"

/* Sizes of a buffer, powers of two.  Buffers start small, because there may be
   thousands of threads. */
#define MIN_BUFFER 512u
#define MAX_BUFFER SPOOL_EXTENT

/* Extent: a pointer to MAX_BUFFER bytes, or their place in the file with the
   bit IN_FILE.  One word each, because long streams have many. */
typedef ULong Extent;
#define IN_FILE 1ULL

struct _Stream {
   XArray* extents;      // Extent
   ULong   begin;        // offset in the stream of the first extent
   ULong   in_extents;   // offset in the stream of the last one's end
   UChar*  buffer;       // bytes behind the last extent
   UInt    used, room;
   UInt    kind;         // kind of a saved stream; 0: not saved
   Word    n_saved;      // number of saved extents
   ULong   saved_place;  // saved place of the buffer, or NO_PLACE
   Bool    kept;         // keep the begin if the file cannot be written
   Bool    ended;        // drop further bytes
};

#define NO_PLACE (~0ULL)

Stream* DCFG_(new_stream)(void)
{
   Stream* s  = VG_(calloc)("dcfg.stream.stream", 1, sizeof(Stream));
   s->extents = VG_(newXA)(VG_(malloc), "dcfg.stream.extents", VG_(free),
                           sizeof(Extent));
   s->saved_place = NO_PLACE;
   return s;
}

static UChar* memory_of(Extent e)
{
   return (UChar*)(Addr)e;
}

static Extent extent(const Stream* s, Word i)
{
   return *(Extent*)VG_(indexXA)(s->extents, i);
}

static void free_extent(Extent e)
{
   if (e & IN_FILE) {
      DCFG_(give_place)(e - IN_FILE);
      return;
   }
   VG_(free)(memory_of(e));
   DCFG_(give_memory)(MAX_BUFFER);
}

static void free_saved_place(Stream* s)
{
   if (s->saved_place != NO_PLACE)
      DCFG_(give_place)(s->saved_place);
   s->saved_place = NO_PLACE;
}

void DCFG_(keep_begin)(Stream* s)
{
   s->kept = True;
   DCFG_(count_kept)(1);
}

/* Return whether S can be read. */
static Bool is_usable(const Stream* s)
{
   return s->kept ? !DCFG_(spool_unreadable)()
                  : !DCFG_(spool_failed)();
}

void DCFG_(delete_stream)(Stream* s)
{
   DCFG_(count_kept)(s->kept ? -1 : 0);
   free_saved_place(s);
   for (Word i = 0; i < VG_(sizeXA)(s->extents); i++)
      free_extent(extent(s, i));
   VG_(deleteXA)(s->extents);
   VG_(free)(s->buffer);
   VG_(free)(s);
}

/* Make room in a full buffer: enlarge it, or turn it into an extent. */
static void make_room(Stream* s)
{
   if (s->room < MAX_BUFFER) {
      s->room   = s->room == 0 ? MIN_BUFFER : 2 * s->room;
      s->buffer = VG_(realloc)("dcfg.stream.buffer", s->buffer, s->room);
      return;
   }
   Extent e;
   if (DCFG_(spool_failed)() && s->kept) {
      s->ended = True;
      s->used  = 0;
      return;
   }
   if (DCFG_(take_memory)(MAX_BUFFER)) {
      e         = (Addr)s->buffer;
      s->buffer = VG_(malloc)("dcfg.stream.buffer", MAX_BUFFER);
   } else {
      ULong place = DCFG_(take_place)();
      DCFG_(spool_extent)(s->kind, s->in_extents / MAX_BUFFER, s->buffer,
                          MAX_BUFFER, place);
      if (DCFG_(spool_failed)() && s->kept) {
         s->ended = True;
         s->used  = 0;
         return;
      }
      e = place + IN_FILE;
   }
   VG_(addToXA)(s->extents, &e);
   s->in_extents += MAX_BUFFER;
   s->used        = 0;
}

/* Set SUMS to the check sums of the extents of S from FIRST on that are in
   memory.  Return how many, 1 or SPOOL_SUMS. */
static UInt sum_extents(const Stream* s, Word first, UInt* sums)
{
   const UChar* data[SPOOL_SUMS];

   for (UInt k = 0; k < SPOOL_SUMS; k++) {
      if (first + k >= VG_(sizeXA)(s->extents)
          || (extent(s, first + k) & IN_FILE)) {
         sums[0] = spool_sum(memory_of(extent(s, first)), MAX_BUFFER);
         return 1;
      }
      data[k] = memory_of(extent(s, first + k));
   }
   spool_sums(data, sums);
   return SPOOL_SUMS;
}

Bool DCFG_(save_stream)(Stream* s, UInt kind)
{
   UInt  sums[SPOOL_SUMS], n_sums = 0, next = 0;
   ULong place;

   s->kind = kind;
   for (; s->n_saved < VG_(sizeXA)(s->extents); s->n_saved++) {
      Extent* e = VG_(indexXA)(s->extents, s->n_saved);
      if (*e & IN_FILE)
         continue;
      if (next == n_sums) {
         n_sums = sum_extents(s, s->n_saved, sums);
         next   = 0;
      }
      if (!DCFG_(save_extent)(kind, s->n_saved, memory_of(*e), MAX_BUFFER,
                              sums[next++], &place))
         return False;
      VG_(free)(memory_of(*e));
      DCFG_(give_memory)(MAX_BUFFER);
      *e = place + IN_FILE;
   }
   if (s->used == 0)
      return True;
   if (!DCFG_(save_extent)(kind, s->n_saved, s->buffer, s->used,
                           spool_sum(s->buffer, s->used), &place))
      return False;
   free_saved_place(s);
   s->saved_place = place;
   return True;
}

/* Copy N bytes.  VG_(memcpy) copies byte by byte unless both begin at multiples
   of four. */
static void copy(UChar* to, const UChar* from, UInt n)
{
   for (; n >= 8; n -= 8, to += 8, from += 8) {
      ULong word;
      __builtin_memcpy(&word, from, 8);
      __builtin_memcpy(to, &word, 8);
   }
   for (UInt i = 0; i < n; i++)
      to[i] = from[i];
}

void DCFG_(append_to_stream)(Stream* s, const void* data, UInt n)
{
   while (n > 0 && !s->ended) {
      if (s->used == s->room)
         make_room(s);
      if (s->ended)
         return;
      UInt some = s->room - s->used < n ? s->room - s->used : n;
      copy(s->buffer + s->used, data, some);
      data     = (const UChar*)data + some;
      s->used += some;
      n       -= some;
   }
}

void DCFG_(drop_from_stream)(Stream* s, ULong at)
{
   Word n = 0;

   for (; n < VG_(sizeXA)(s->extents) && s->begin + MAX_BUFFER <= at; n++) {
      free_extent(extent(s, n));
      s->begin += MAX_BUFFER;
   }
   while (n-- > 0)
      VG_(removeIndexXA)(s->extents, 0);
}

void DCFG_(trim_stream)(Stream* s)
{
   if (s->used < s->room) {
      s->room   = s->used;
      s->buffer = VG_(realloc)("dcfg.stream.buffer", s->buffer,
                               s->used == 0 ? 1 : s->used);
   }
}

static Bool is_cut(Extent e)
{
   return (e & IN_FILE) && e - IN_FILE >= DCFG_(spool_cut)();
}

ULong DCFG_(stream_length)(const Stream* s)
{
   if (DCFG_(spool_cut)() == ~0ULL)
      return s->in_extents + s->used;
   for (Word i = 0; i < VG_(sizeXA)(s->extents); i++)
      if (is_cut(extent(s, i)))
         return s->begin + i * MAX_BUFFER;
   return s->in_extents + s->used;
}

UInt DCFG_(read_stream)(const Stream* s, ULong at, void* to, UInt n)
{
   UInt got = 0;

   while (got < n && at < s->in_extents && is_usable(s)) {
      Extent e    = extent(s, (at - s->begin) / MAX_BUFFER);
      UInt   from = (at - s->begin) % MAX_BUFFER;
      UInt   some = MAX_BUFFER - from < n - got ? MAX_BUFFER - from : n - got;
      if (is_cut(e))
         return got;
      if (e & IN_FILE)
         some = DCFG_(read_extent)(e - IN_FILE, from, (UChar*)to + got, some);
      else
         VG_(memcpy)((UChar*)to + got, memory_of(e) + from, some);
      got += some;
      at  += some;
   }
   if (got < n && at < DCFG_(stream_length)(s) && is_usable(s)) {
      UInt from = (UInt)(at - s->in_extents);
      UInt some = s->used - from < n - got ? s->used - from : n - got;
      VG_(memcpy)((UChar*)to + got, s->buffer + from, some);
      got += some;
   }
   return got;
}
