/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The bytes that each file descriptor got. */

#ifndef DCFG_CMD_OUTPUT_STREAM_H
#define DCFG_CMD_OUTPUT_STREAM_H

#include "cmd/machine/wet_place.h"

/* OutputPiece: bytes that a system call wrote, and where they are in their
   stream. */
typedef
   struct {
      const DcfgSliceNode* call;
      uint64_t             addr, from, size;
   }
   OutputPiece;

/* OutputStream: what was written to a file descriptor and to its duplicates.
   A byte that no piece has divides what does not stand together in the file. */
typedef
   struct {
      uint32_t     fd;          // the first one written to
      uint64_t     n_calls, n_bytes, n_unknown;
      uint8_t*     bytes;
      uint8_t*     known;       // 0: nothing says what the byte was
      uint64_t     size, room;
      OutputPiece* pieces;
      size_t       n, n_room;
   }
   OutputStream;

typedef
   struct {
      OutputStream*  streams;
      size_t   n, room;
      uint64_t n_forks;         // processes that the program made
   }
   Output;

/* All that the system calls of S wrote, which all_syscalls() made and which has
   to stay.  INITIAL has the bytes that nothing executed wrote. */
Output output_read(DcfgWet* w, const DcfgSlice* s, const ImageBytes* initial);
void   output_free(Output* o);

/* The piece that has the byte at PLACE; NULL: none has it. */
const OutputPiece* stream_piece(const OutputStream* t, uint64_t place);

/* The first place of TEXT from FROM on, or the last one; UINT64_MAX: there is
   none. */
uint64_t stream_find(const OutputStream* t, const char* text, size_t size,
                     uint64_t from);
uint64_t stream_find_last(const OutputStream* t, const char* text, size_t size);

/* Make Q's criterion the SIZE bytes of T at PLACE: those that WANTED has, a flag
   for each, or all of them if it is NULL.  Q's parts are to be freed. */
void stream_choose(const OutputStream* t, uint64_t place, uint64_t size,
                   const bool* wanted, bool* instrs, uint32_t n_instrs,
                   DcfgSliceQuery* q);

#endif /* DCFG_CMD_OUTPUT_STREAM_H */
