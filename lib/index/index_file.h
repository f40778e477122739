/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to lib/index/: the file of an index, as sections of bytes. */

#ifndef DCFG_LIB_INDEX_FILE_H
#define DCFG_LIB_INDEX_FILE_H

#include "lib/base/job.h"

/* Sections of the file, which docs/dev/index-file.md describes. */
typedef
   enum {
      INDEX_CHUNKS,
      INDEX_TURNS,              // IndexTurn, by thread and chunk
      INDEX_THREADS,            // IndexThread
      INDEX_ACTS,               // IndexAct
      INDEX_INTERRUPTED,        // IndexInterrupted
      INDEX_RETURNED,           // a byte for each handler
      INDEX_CREATED,            // IndexCreated
      INDEX_TOTALS,             // varints, by place
      INDEX_PLACES,             // begins of the runs of each place
      INDEX_RUNS,
      INDEX_ARCS,
      INDEX_OUTSIDE,            // a bit for each instruction
      INDEX_CALLBACKS,          // likewise
      INDEX_LINES,
      INDEX_SPANS,              // IndexSpan
      INDEX_SECTIONS
   }
   IndexSection;

/* Blocks: each has a sum, and is read when it is first asked for. */
#define INDEX_BLOCK 4096u

/* IndexIdentity: the trace that an index is of. */
typedef
   struct {
      uint64_t size, seconds, nanoseconds;
      uint64_t hash;            // over all before the tape, and chunks' heads
   }
   IndexIdentity;

/*--- Writing                                              ---*/

/* IndexWriter: written by index_file.c alone. */
typedef
   struct {
      Job*     job;
      int      fd;
      uint64_t offset;          // bytes so far, with those of the block in work
      uint64_t begins[INDEX_SECTIONS], sizes[INDEX_SECTIONS];
      Array    sums;            // uint32_t, by block
      uint8_t  block[INDEX_BLOCK];
   }
   IndexWriter;

/* Begin a file on FD, which is empty. */
void index_write_start(IndexWriter* x, Job* job, int fd);

/* SECTION, which was not begun before, comes next; then its bytes. */
bool index_write_section(IndexWriter* x, IndexSection section);
bool index_write(IndexWriter* x, const void* data, size_t size);

/* All sections are there; the file is of the trace ID. */
bool index_write_end(IndexWriter* x, const IndexIdentity* id);
void index_write_free(IndexWriter* x);

/*--- Reading                                              ---*/

/* IndexFile: written by index_file.c alone. */
typedef
   struct {
      int       fd;
      uint64_t  size;
      uint8_t*  data;           // as much of it as was asked for
      uint8_t*  known;          // by block: it was read, and its sum is right
      uint32_t* sums;
      uint64_t  n_blocks;
      uint64_t  begins[INDEX_SECTIONS], sizes[INDEX_SECTIONS];
      IndexIdentity id;
      bool      bad;            // something in it is wrong
   }
   IndexFile;

/* Open FD, which is the file's own from now on, closed if that fails too.
   WHY says what is wrong with it. */
bool index_file_open(IndexFile* f, int fd, const char** why);
void index_file_close(IndexFile* f);

/* SIZE bytes of SECTION from AT on; NULL if they are not there, or wrong. */
const uint8_t* index_bytes(IndexFile* f, IndexSection section, uint64_t at,
                           uint64_t size);

/* All of SECTION, which is elements of SIZE bytes; how many to *N. */
const void* index_elements(IndexFile* f, IndexSection section, size_t size,
                           size_t* n);

#endif /* DCFG_LIB_INDEX_FILE_H */
