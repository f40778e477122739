/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The chunks of the coded tape. */

/* Owns: the stream of chunks, of which a ring keeps the last ones.  Handed:
   the parts of each chunk by tool/wet/squeeze.c. */

#include "pub_tool_basics.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_xarray.h"

#include "tool/wet/tape_chunks.h"

/* The sizes at which a chunk ends: bytes, and the part of all kept chunks. */
#define CHUNK_BYTES (4u << 20)
#define CHUNK_SHARE 8

struct _Chunks {
   Stream* stream;
   ULong   n_kept;           // the stream's last bytes, which are kept
   UInt    chunk_bytes;      // size of a chunk
   XArray* begins;           // ULong: begins of these chunks in the stream
};

Chunks* DCFG_(new_chunks)(void)
{
   Chunks* c = VG_(malloc)("dcfg.chunks", sizeof(Chunks));

   c->stream = DCFG_(new_stream)();
   DCFG_(keep_begin)(c->stream);
   c->begins = VG_(newXA)(VG_(malloc), "dcfg.chunks.begins", VG_(free),
                          sizeof(ULong));
   c->n_kept      = ~(ULong)0;
   c->chunk_bytes = CHUNK_BYTES;
   return c;
}

void DCFG_(keep_chunks)(Chunks* c, ULong size)
{
   c->n_kept      = size;
   c->chunk_bytes = size / CHUNK_SHARE < CHUNK_BYTES ? size / CHUNK_SHARE
                                                     : CHUNK_BYTES;
}

UInt DCFG_(chunk_bytes)(const Chunks* c)
{
   return c->chunk_bytes;
}

Stream* DCFG_(stream_of_chunks)(const Chunks* c)
{
   return c->stream;
}

ULong DCFG_(first_chunk)(const Chunks* c)
{
   return VG_(sizeXA)(c->begins) == 0 ? 0
          : *(ULong*)VG_(indexXA)(c->begins, 0);
}

ULong DCFG_(next_chunk)(const Chunks* c)
{
   return DCFG_(stream_length)(c->stream);
}

void DCFG_(drop_chunks)(Chunks* c, ULong n)
{
   ULong length = DCFG_(stream_length)(c->stream);

   while (VG_(sizeXA)(c->begins) > 1
          && length - DCFG_(first_chunk)(c) > n) {
      VG_(removeIndexXA)(c->begins, 0);
      DCFG_(drop_from_stream)(c->stream, DCFG_(first_chunk)(c));
   }
}

ULong DCFG_(whole_chunks)(const Chunks* c, ULong from, ULong n)
{
   ULong length = DCFG_(stream_length)(c->stream), end = from;

   for (;;) {
      UChar head[24];
      ULong next = end + sizeof(head);
      if (DCFG_(read_stream)(c->stream, end, head, sizeof(head))
          < sizeof(head))
         return end - from;
      for (UInt i = 4; i < 16; i++)
         next += (ULong)head[i] << 8 * (i % 4);
      if (next > length || next - from > n)
         return end - from;
      end = next;
   }
}

static void append_number(Stream* s, ULong n, UInt n_bytes)
{
   UChar bytes[8];

   for (UInt i = 0; i < n_bytes; i++)
      bytes[i] = n >> 8 * i;
   DCFG_(append_to_stream)(s, bytes, n_bytes);
}

void DCFG_(append_chunk)(Chunks* c, UInt n_records, Addr stack,
                         const UChar* const* parts, const UInt* sizes)
{
   ULong begin = DCFG_(stream_length)(c->stream);

   VG_(addToXA)(c->begins, &begin);
   append_number(c->stream, n_records, 4);
   for (UInt i = 0; i < N_CHUNK_PARTS; i++)
      append_number(c->stream, sizes[i], 4);
   append_number(c->stream, stack, 8);
   for (UInt i = 0; i < N_CHUNK_PARTS; i++)
      DCFG_(append_to_stream)(c->stream, parts[i], sizes[i]);
   DCFG_(drop_chunks)(c, c->n_kept);
}

void DCFG_(forget_chunks)(Chunks* c)
{
   DCFG_(delete_stream)(c->stream);
   c->stream = DCFG_(new_stream)();
   DCFG_(keep_begin)(c->stream);
   VG_(dropTailXA)(c->begins, VG_(sizeXA)(c->begins));
}
