/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The coder of the tape. */

/* Private to wet/. */

#ifndef __DCFG_CODING_H
#define __DCFG_CODING_H

#include "pub_tool_basics.h"
#include "format/port.h"
#include "tool/base/buffer.h"
#include "tool/files/stream.h"

/* Put N, which is probably small, without a branch: in one to seven bytes, the
   lowest first, whose lowest three bits tell how many bytes follow; or as 7 and
   eight more bytes.  There is room for nine.  Return the end. */
#define DCFG_MAX_QUICK 9
static inline UChar* DCFG_(put_quick)(UChar* to, ULong n)
{
   UInt more = (63 ^ __builtin_clzll(n << 3 | 1)) / 8;

   if (LIKELY(n >> 53 == 0)) {
      *(ULong*)(void*)to = n << 3 | more;
      return to + 1 + more;
   }
   *to = 7;
   *(ULong*)(void*)(to + 1) = n;
   return to + DCFG_MAX_QUICK;
}

/* Chunks: a sequence of chunks in a stream. */
typedef struct _Chunks Chunks;

Chunks* DCFG_(new_chunks)(void);

/* The parts of a chunk: control, bits, numbers. */
#define N_CHUNK_PARTS 3

/* Keep only the last chunks, with SIZE bytes together, from now on. */
void DCFG_(keep_chunks)(Chunks* c, ULong size);

/* Return the number of bytes at which a chunk should end. */
UInt DCFG_(chunk_bytes)(const Chunks* c);

/* Return where the first kept chunk begins, and where the next one will. */
ULong DCFG_(first_chunk)(const Chunks* c);
ULong DCFG_(next_chunk)(const Chunks* c);

/* Return the length of the whole chunks from FROM on that have at most N
   bytes. */
ULong DCFG_(whole_chunks)(const Chunks* c, ULong from, ULong n);

/* Drop the first chunks, until at most N bytes, or one chunk, are left. */
void DCFG_(drop_chunks)(Chunks* c, ULong n);

typedef struct _Coder Coder;

/* Return a coder that puts its chunks to CHUNKS. */
Coder* DCFG_(new_coder)(Chunks* chunks);

/* Code the words up to END, which are the whole tape, and all rows, which are
   removed.  EXTRA has the bytes of marks, in the order of the marks.  Return
   how many words the rows had. */
ULong DCFG_(code_blocks)(Coder* c, const ULong* words, const ULong* end,
                         const Bytes* extra);

/* End the present chunk.  Return all chunks so far. */
Stream* DCFG_(end_chunk)(Coder* c);

/* Return whether the next word begins a chunk. */
Bool DCFG_(begins_chunk)(const Coder* c);

/* Return the number of records so far. */
ULong DCFG_(n_coded_records)(const Coder* c);

/* Forget all chunks. */
void DCFG_(restart_coder)(Coder* c);

#endif /* __DCFG_CODING_H */
