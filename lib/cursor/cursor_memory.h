/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to lib/cursor/: searches for bytes of memory. */

#ifndef DCFG_LIB_CURSOR_MEMORY_H
#define DCFG_LIB_CURSOR_MEMORY_H

#include "lib/cursor/cursor_chunks.h"

/* MemorySearch: a search for the .size bytes at .addr: backward for their last
   writers, forward for their first loads. */
typedef
   struct {
      DcfgCursor* r;
      uint64_t    addr;
      uint32_t    size;
      uint32_t    left;         // number of bytes not found yet
      uint32_t    moves;        // depth of take_moved()'s recursion
      bool*       found;        // by byte
      bool*       told;         // by byte: the index told it; NULL: the index's
                                // words do not count
      DcfgCursorByte* bytes;
   }
   MemorySearch;

/* Set *LOW and *HIGH to the part of F's bytes, from *LOW up to *HIGH, that is
   among the SIZE bytes at ADDR.  Return false if there is none. */
static inline bool common(const MemorySearch* f, uint64_t addr, uint64_t size,
                          uint32_t* low, uint32_t* high)
{
   if (!overlaps(addr, size, f->addr, f->size))
      return false;
   *low  = addr - f->addr < f->size ? (uint32_t)(addr - f->addr) : 0;
   *high = addr + size - f->addr < f->size
           ? (uint32_t)(addr + size - f->addr) : f->size;
   return *low < *high;
}

/* Byte I of F is B, unless a later writer has been found. */
static inline void take(MemorySearch* f, uint32_t i, DcfgCursorByte b)
{
   if (f->found[i])
      return;
   f->found[i] = true;
   f->bytes[i] = b;
   f->left--;
}

/* Set *WORD to the number of the word of memory with the first byte from byte *I
   of F on that F still looks for, and *I to the byte behind that word.  Return
   false if there is none. */
static inline bool next_word(const MemorySearch* f, uint32_t* i, uint64_t* word)
{
   while (*i < f->size && f->found[*i])
      ++*i;
   if (*i >= f->size)
      return false;
   *word = (f->addr + *i) >> 3;
   *i   += 8 - (f->addr + *i) % 8;
   return true;
}

#endif /* DCFG_LIB_CURSOR_MEMORY_H */
