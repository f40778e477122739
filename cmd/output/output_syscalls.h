/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The system calls of a recording, as criteria of slices, and the bytes that
   each file descriptor got. */

#ifndef DCFG_CMD_OUTPUT_SYSCALLS_H
#define DCFG_CMD_OUTPUT_SYSCALLS_H

#include "cmd/program/initial_memory.h"
#include "cmd/machine/processor.h"

#include "lib/dcfg_slice.h"

/*--- System calls                                         ---*/

/* Syscall: one execution of a system call. */
typedef
   struct {
      uint32_t instr;
      uint32_t number;          // the kernel's; UINT32_MAX: not known
      uint64_t instance;
   }
   Syscall;

/* SystemCalls: system calls of a trace, in the order of their execution. */
typedef
   struct {
      DcfgWet* w;
      Syscall* calls;
      size_t   n, room;
   }
   SystemCalls;

/* Return a slice of all system calls, and set INSTRS to their instructions.
   The slice has the writers of arguments and buffers; with NUMBERS, only the
   writers of the calls' numbers. */
DcfgSlice* all_syscalls(DcfgWet* wet, bool* instrs, bool numbers);

/* Return the system calls of SLICE, which all_syscalls() must have made.  The
   caller frees .calls. */
SystemCalls calls_of(DcfgWet* wet, const DcfgSlice* slice);

/* Return the kernel's number of system call N of SLICE; UINT32_MAX if it is not
   known. */
uint32_t call_number(DcfgWet* wet, const DcfgSlice* slice,
                     const DcfgSliceNode* n);

/* Set SPARE, by instruction of a system call, to the argument registers that
   none of its calls uses. */
void find_spare(const SystemCalls* c, uint32_t* spare);

/* Make a system call the criterion of INSTRS and Q.  CALL is "NAME" for the
   last such call, or "NAME#N" for number N of them, from 0.  Set SPARE as
   find_spare() does.  Die if there is no such call. */
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
   }
   Output;

/* Return the bytes that the system calls in SLICE wrote. all_syscalls() must
   have made SLICE, and the result points into SLICE.  INITIAL has the bytes
   that no instruction wrote.  Free the result with output_free(). */
Output output_read(DcfgWet* wet, const DcfgSlice* slice,
                   const ImageBytes* initial);
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
