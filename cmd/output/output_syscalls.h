/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The system calls of a recording, as criteria of slices, and the bytes that
   each file descriptor got. */

#ifndef DCFG_CMD_OUTPUT_SYSCALLS_H
#define DCFG_CMD_OUTPUT_SYSCALLS_H

#include "cmd/program/initial_memory.h"

#include "lib/dcfg_slice.h"

/*--- System calls                                         ---*/

/* Make a system call the criterion of INSTRS and Q.  CALL is "NAME" for the
   last such call, or "NAME#N" for number N of them, from 0.  Set SPARE, by
   instruction of a system call, to the argument registers that none of its calls
   uses.  Die if there is no such call. */
void syscall_criterion(DcfgWet* wet, const char* call, bool* instrs,
                       uint32_t* spare, DcfgSliceQuery* q);

/*--- What they wrote                                      ---*/

/* OutputPiece: bytes that one system call wrote, and their place in the
   stream. */
typedef
   struct {
      const DcfgSliceNode* call;
      uint64_t             addr, from, size;
   }
   OutputPiece;

/* OutputStream: the bytes that a file descriptor and its duplicates got.  A
   byte of no piece separates texts that do not follow each other in the
   file. */
typedef
   struct {
      uint32_t     fd;          // the first descriptor written to
      uint64_t     n_calls, n_bytes, n_unknown;
      uint8_t*     bytes;
      uint8_t*     known;       // by byte; 0: its value is not recorded
      uint64_t     size, room;
      OutputPiece* pieces;
      size_t       n, n_room;
   }
   OutputStream;

/* Output: the streams of all descriptors, in the order of their first call. */
typedef
   struct {
      OutputStream*  streams;
      size_t   n, room;
      uint64_t n_forks;         // processes that the program made
      DcfgSlice* slice;         // .call of pieces is there
   }
   Output;

/* Return the bytes that the system calls of WET wrote.  INITIAL has the bytes that
   no instruction wrote.  Set SPARE, which may be NULL, as syscall_criterion()
   does.  Free the result with output_free(). */
Output output_read(DcfgWet* wet, const ImageBytes* initial, uint32_t* spare);
void   output_free(Output* o);

/* Return the piece that has the byte at PLACE of the stream, or NULL. */
const OutputPiece* stream_piece(const OutputStream* stream, uint64_t place);

/* Return the first place from FROM on of the SIZE bytes of TEXT; or their
   last place.  UINT64_MAX: the stream lacks the text. */
uint64_t stream_find(const OutputStream* stream, const char* text, size_t size,
                     uint64_t from);
uint64_t stream_find_last(const OutputStream* stream, const char* text,
                          size_t size);

/* Make the SIZE bytes of STREAM at PLACE the criterion of INSTRS and Q.  WANTED
   has a flag for each byte that counts; NULL: all count.  The caller frees
   Q->parts. */
void stream_choose(const OutputStream* stream, uint64_t place, uint64_t size,
                   const bool* wanted, bool* instrs, uint32_t n_instrs,
                   DcfgSliceQuery* q);

#endif /* DCFG_CMD_OUTPUT_SYSCALLS_H */
