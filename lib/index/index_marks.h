/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Marks and records, as they change the image of memory. */

#ifndef DCFG_LIB_INDEX_MARKS_H
#define DCFG_LIB_INDEX_MARKS_H

#include "lib/index/index_ways.h"
#include "lib/wet/wet_chunks.h"

/* MarkWrite: memory that a mark changes. */
typedef
   struct {
      uint64_t       addr, size;
      ByteIs         is;        // BYTE_ASK: only the mark itself tells
      const uint8_t* bytes;     // if .is is BYTE_KNOWN
      bool           maps;      // the mark maps or unmaps it
   }
   MarkWrite;

/* Set *TO to the memory that mark R of STEPS changes.  Return false if it
   changes none. */
bool mark_write(const WetSteps* steps, const WetStep* r, MarkWrite* to);

/* Note the change in IMAGE, at TIME. */
bool mark_write_put(const MarkWrite* x, uint64_t time, MemoryImage* image);

/* UnseenFinder: looks for unseen writes in a pass over a trace that makes no
   index.  Written by index_marks.c alone. */
typedef
   struct {
      Job*        job;
      const DcfgWet* w;
      IndexWays   ways;
      MemoryImage image;
      uint64_t    time;         // instructions so far
      bool        begun;
      Array       codes;        // uint8_t: of unseen writes, chunk by chunk
      Array       ends;         // uint64_t: by chunk, end in .codes
   }
   UnseenFinder;

/* Return whether loads of W may tell unseen writes. */
bool unseen_may_be(const DcfgWet* w);

/* Begin a pass over W, which gives all parts; end it. */
bool unseen_start(UnseenFinder* u, Job* job, const DcfgWet* w);
bool unseen_take_part(UnseenFinder* u, const WetPart* part);
bool unseen_end(UnseenFinder* u);
void unseen_free(UnseenFinder* u);

#endif /* DCFG_LIB_INDEX_MARKS_H */
