/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The chunks of the coded tape. */

/* Private to wet/. */

#ifndef __DCFG_TAPE_CHUNKS_H
#define __DCFG_TAPE_CHUNKS_H

#include "pub_tool_basics.h"
#include "tool/files/stream.h"

/* Chunks: a sequence of chunks in a stream. */
typedef struct _Chunks Chunks;

Chunks* DCFG_(new_chunks)(void);

/* The parts of a chunk: control, bits, numbers. */
#define N_CHUNK_PARTS 3

/* Append a chunk of N_RECORDS records with these parts.  STACK is the tape's
   .stack at its begin. */
void DCFG_(append_chunk)(Chunks* c, UInt n_records, Addr stack,
                         const UChar* const* parts, const UInt* sizes);

/* Keep only the last chunks, with SIZE bytes together, from now on. */
void DCFG_(keep_chunks)(Chunks* c, ULong size);

/* Return the number of bytes at which a chunk should end. */
UInt DCFG_(chunk_bytes)(const Chunks* c);

Stream* DCFG_(stream_of_chunks)(const Chunks* c);

/* Return where the first kept chunk begins, and where the next one will. */
ULong DCFG_(first_chunk)(const Chunks* c);
ULong DCFG_(next_chunk)(const Chunks* c);

/* Return the length of the whole chunks from FROM on that have at most N
   bytes. */
ULong DCFG_(whole_chunks)(const Chunks* c, ULong from, ULong n);

/* Drop the first chunks, until at most N bytes, or one chunk, are left. */
void DCFG_(drop_chunks)(Chunks* c, ULong n);

/* Forget all chunks. */
void DCFG_(forget_chunks)(Chunks* c);

#endif /* __DCFG_TAPE_CHUNKS_H */
