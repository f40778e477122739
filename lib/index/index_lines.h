/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to lib/index/: the memory that a chunk writes. */

#ifndef DCFG_LIB_INDEX_LINES_H
#define DCFG_LIB_INDEX_LINES_H

#include "lib/base/hash.h"

/* A line is 64 bytes.  Each of its 8 words has a bit. */
#define LINE_SHIFT 6
#define LINES_PER_PAGE 64u
#define N_RECENT_PAGES 256u

typedef
   struct {
      uint8_t masks[LINES_PER_PAGE];    // by line
   }
   LinePage;

/* LineSet: words that are written.  Written by index_lines.c alone. */
typedef
   struct {
      Job*      job;
      NumberMap places;         // keys: page + 1; values: index in .pages, + 1
      Array     pages;          // LinePage
      Array     numbers;        // uint64_t: their numbers
      struct {
         uint64_t number;       // + 1; 0: none
         uint32_t page;
      }
      recent[N_RECENT_PAGES];
   }
   LineSet;

void lines_free(LineSet* s);

/* Add words that are not all in one line of a recent page, for lines_add(). */
bool lines_add_any(LineSet* s, uint64_t addr, uint64_t size);

/* Return whether S has the word at ADDR. */
bool lines_have(LineSet* s, uint64_t addr);

/* Add the SIZE bytes at ADDR. */
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

/* The coarsest unit is 4 TB. */
#define MOST_COARSE 12u

/* LinesHead: the head of a chunk's lines.  Their unit is 64 bytes, 8 times larger for
   each of .coarse. */
typedef
   struct {
      uint32_t n_groups;        // for a binary search
      uint32_t size;            // bytes, with the table of groups
      uint32_t coarse;
   }
   LinesHead;

/* Append the code of S to TO, in at most MOST bytes if possible.  The code may
   have more lines than S, never fewer.  Empty S. */
bool lines_put(LineSet* s, uint64_t most, Array* to, LinesHead* head);

/* LineGroup: lines that are decoded together. */
#define LINE_GROUP 32u
typedef
   struct {
      uint64_t line;            // the first one
      uint64_t at;              // begin of its code, in the chunk's
   }
   LineGroup;

/* Return whether the group may have a word of line UNIT with a bit in MASK.
   The group's code is from AT to END, and its first line is LINE. */
bool lines_group_has(const uint8_t* at, const uint8_t* end, uint64_t line,
                     uint64_t unit, uint8_t mask);

#endif /* DCFG_LIB_INDEX_LINES_H */
