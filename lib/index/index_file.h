/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to lib/index/: the file of an index, as sections of bytes. */

#ifndef DCFG_LIB_INDEX_FILE_H
#define DCFG_LIB_INDEX_FILE_H

#include "lib/base/job.h"

/* IndexSection: docs/dev/index-file.md describes the sections. */
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
      INDEX_PLACES,             // by place: begin of its code in INDEX_TOTALS
      INDEX_RUNS,
      INDEX_ARCS,
      INDEX_OUTSIDE,            // a bit for each instruction
      INDEX_CALLBACKS,          // a bit for each instruction
      INDEX_LINES,
      INDEX_SPANS,              // IndexSpan
      INDEX_MAPPINGS,           // mappings, and memory that others wrote
      INDEX_SECTIONS
   }
   IndexSection;

/* INDEX_BLOCK: bytes that have a checksum, and are read together when first
   needed. */
#define INDEX_BLOCK 4096u

/* IndexIdentity: the trace that an index belongs to. */
typedef
   struct {
      uint64_t size, seconds, nanoseconds;
      uint64_t hash;            // all before the tape, and the chunks' heads
   }
   IndexIdentity;

/*--- Writing                                              ---*/

/* IndexWriter: written by index_file.c alone. */
typedef
   struct {
      Job*     job;
      int      fd;
      uint64_t offset;          // bytes so far, with the present block's
      uint64_t begins[INDEX_SECTIONS], sizes[INDEX_SECTIONS];
      Array    sums;            // uint32_t: checksums, by block
      uint8_t  block[INDEX_BLOCK];
   }
   IndexWriter;

/* Begin a file on FD, which is empty. */
void index_write_start(IndexWriter* x, Job* job, int fd);

/* Begin SECTION, which was not begun before; append bytes to it. */
bool index_write_section(IndexWriter* x, IndexSection section);
bool index_write(IndexWriter* x, const void* data, size_t size);

/* End the file, which has all sections, as the index of the trace ID. */
bool index_write_end(IndexWriter* x, const IndexIdentity* id);
void index_write_free(IndexWriter* x);

/*--- Reading                                              ---*/

/* IndexFile: written by index_file.c alone. */
typedef
   struct {
      int       fd;
      uint64_t  size;
      uint8_t*  data;           // the file, where blocks are .known
      uint8_t*  known;          // by block: it was read, and its checksum is
                                // right
      uint32_t* sums;
      uint64_t  n_blocks;
      uint64_t  begins[INDEX_SECTIONS], sizes[INDEX_SECTIONS];
      IndexIdentity id;
      bool      bad;            // an error was found in it
   }
   IndexFile;

/* Open the index on FD, which F owns from now on and closes on failure.
   Then return false, and set *WHY to the reason. */
bool index_file_open(IndexFile* f, int fd, const char** why);
void index_file_close(IndexFile* f);

/* Return SIZE bytes of SECTION from AT on; NULL if they are not there, or
   wrong. */
const uint8_t* index_bytes(IndexFile* f, IndexSection section, uint64_t at,
                           uint64_t size);

/* Return all of SECTION, an array of *N elements of SIZE bytes. */
const void* index_elements(IndexFile* f, IndexSection section, size_t size,
                           size_t* n);

#endif /* DCFG_LIB_INDEX_FILE_H */
