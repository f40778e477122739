/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to lib/index/: the memory that a chunk writes. */

#ifndef DCFG_LIB_INDEX_LINES_H
#define DCFG_LIB_INDEX_LINES_H

#include "lib/base/number_map.h"

/* A line is 64 bytes; each of its 8 words has a bit. */
#define LINE_SHIFT 6
#define LINES_PER_PAGE 64u
#define N_RECENT_PAGES 256u

typedef
   struct {
      uint8_t masks[LINES_PER_PAGE];    // by line
   }
   LinePage;

/* LineSet: words that are written, so far.  Written by index_lines.c alone. */
typedef
   struct {
      Job*      job;
      NumberMap places;         // by page and 1: which of .pages, and 1
      Array     pages;          // LinePage
      Array     numbers;        // uint64_t: of these
      struct {
         uint64_t number;       // and 1; 0: none
         uint32_t page;
      }
      recent[N_RECENT_PAGES];
   }
   LineSet;

void lines_free(LineSet* s);

/* For lines_add(): words that are not all in one line of a recent page. */
bool lines_add_any(LineSet* s, uint64_t addr, uint64_t size);

/* SIZE bytes at ADDR are written. */
static inline bool lines_add(LineSet* s, uint64_t addr, uint64_t size)
{
   uint64_t page = addr >> 12;
   unsigned at = (unsigned)(page % N_RECENT_PAGES);
   unsigned first = addr >> 3 & 7, last = (unsigned)((addr + size - 1) >> 3 & 7);

   if (s->recent[at].number != page + 1 || (addr & 63) + size > 64 || size == 0)
      return lines_add_any(s, addr, size);
   ELEM(s->pages, LinePage, s->recent[at].page).masks[addr >> 6 & 63]
      |= (uint8_t)((0xFFu << first) & (0xFFu >> (7 - last)));
   return true;
}

/* No unit is larger: 4 TB. */
#define MOST_COARSE 12u

/* LinesHead: of one chunk's lines: they are told of in units of 64 bytes, or
   of 8 times more for each of .coarse. */
typedef
   struct {
      uint32_t n_groups;        // to be searched by halves
      uint32_t size;            // bytes, with the table of groups
      uint32_t coarse;
      uint32_t zero;
   }
   LinesHead;

/* All of S to TO, of bytes, in at most MOST bytes, if that is possible: what
   is told of may be more than was written, but not less.  S is empty then. */
bool lines_put(LineSet* s, uint64_t most, Array* to, LinesHead* head);

/* LineGroup: lines that are decoded together. */
#define LINE_GROUP 32u
typedef
   struct {
      uint64_t line;            // the first
      uint64_t at;              // begin of its bytes, in the chunk's
   }
   LineGroup;

/* Is there a word of UNIT, by its number, of which MASK has a bit, in the lines
   of the group from AT up to END, which begins with LINE? */
bool lines_group_has(const uint8_t* at, const uint8_t* end, uint64_t line,
                     uint64_t unit, uint8_t mask);

#endif /* DCFG_LIB_INDEX_LINES_H */
