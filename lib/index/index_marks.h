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

/* Return whether loads of W may tell unseen writes. */
bool unseen_may_be(const DcfgWet* w);

#endif /* DCFG_LIB_INDEX_MARKS_H */
