/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The memory that a chunk writes. */

/* Owns: sets of words of memory, and their code.  Handed: stores by
   index_make.c.

   The code is a sequence of numbers: 4 times the distance from the end of the
   lines before, and a kind.  LINE_PART: a line, and its mask follows.
   LINE_FULL: a line, all of it.  LINES_FULL: full lines, and their number
   follows. */

#include "lib/index/index_lines.h"
#include "lib/base/sort.h"
#include "format/numbers.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_PART, LINE_FULL, LINES_FULL };

/*--- Sets                                                 ---*/

void lines_free(LineSet* s)
{
   map_free(s->job, &s->places);
   array_free(s->job, &s->pages, sizeof(LinePage));
   array_free(s->job, &s->numbers, sizeof(uint64_t));
}

static LinePage* page_of(LineSet* s, uint64_t number)
{
   unsigned  at = (unsigned)(number % N_RECENT_PAGES);
   uint32_t* place;

   if (s->recent[at].number != number + 1) {
      place = map_add(s->job, &s->places, number + 1);
      if (place == NULL)
         return NULL;
      if (*place == 0) {
         uint64_t* to = array_add(s->job, &s->numbers, sizeof(*to));
         if (to == NULL || array_add(s->job, &s->pages, sizeof(LinePage)) == NULL)
            return NULL;
         *to    = number;
         *place = (uint32_t)s->pages.n;
      }
      s->recent[at].number = number + 1;
      s->recent[at].page   = *place - 1;
   }
   return &ELEM(s->pages, LinePage, s->recent[at].page);
}

bool lines_have(LineSet* s, uint64_t addr)
{
   uint64_t number = addr >> 12;
   size_t   at = s->places.n == 0 ? 0 : map_find(&s->places, number + 1);

   return s->places.n > 0 && s->places.keys[at] != 0
          && (ELEM(s->pages, LinePage, s->places.values[at] - 1)
              .masks[addr >> LINE_SHIFT & 63] >> (addr >> 3 & 7) & 1);
}

bool lines_add_any(LineSet* s, uint64_t addr, uint64_t size)
{
   if (size > UINT64_MAX - addr)
      size = UINT64_MAX - addr;
   while (size > 0) {
      uint64_t  n = 64 - (addr & 63) < size ? 64 - (addr & 63) : size;
      unsigned  first = addr >> 3 & 7;
      unsigned  last = (unsigned)((addr + n - 1) >> 3 & 7);
      LinePage* p = page_of(s, addr >> 12);
      if (p == NULL)
         return false;
      p->masks[addr >> 6 & 63] |= (uint8_t)((0xFFu << first)
                                            & (0xFFu >> (7 - last)));
      addr += n;
      size -= n;
   }
   return true;
}

/*--- Code                                                 ---*/

/* LineCoder: the state of coding. */
typedef
   struct {
      Job*     job;
      Array*   to;              // uint8_t
      Array    groups;          // LineGroup
      uint64_t most;
      unsigned n;               // numbers of the present group
      uint64_t end;             // end of the lines coded so far
      uint64_t line;            // first line that waits to be coded
      uint64_t count;           // waiting lines, all of one mask; 0: none
      uint8_t  mask;
   }
   LineCoder;

static bool put_byte(LineCoder* c, uint8_t byte)
{
   uint8_t* to = array_add(c->job, c->to, 1);

   if (to != NULL)
      *to = byte;
   return to != NULL;
}

static bool put_varint(LineCoder* c, uint64_t n)
{
   for (; n >= 128; n >>= 7)
      if (!put_byte(c, (uint8_t)(n | 128)))
         return false;
   return put_byte(c, (uint8_t)n);
}

static bool put_record(LineCoder* c, uint64_t line, uint64_t count,
                       uint8_t mask)
{
   unsigned kind = mask != 0xFF ? LINE_PART : count == 1 ? LINE_FULL
                   : LINES_FULL;

   if (c->n == 0) {
      LineGroup* g = array_add(c->job, &c->groups, sizeof(*g));
      if (g == NULL)
         return false;
      *g     = (LineGroup){ line, c->to->n };
      c->end = line;
   }
   c->n = (c->n + 1) % LINE_GROUP;
   if (!put_varint(c, (line - c->end) << 2 | kind)
       || (kind == LINE_PART && !put_byte(c, mask))
       || (kind == LINES_FULL && !put_varint(c, count)))
      return false;
   c->end = line + count;
   return true;
}

static bool put_pending(LineCoder* c)
{
   return c->count == 0 || put_record(c, c->line, c->count, c->mask);
}

/* Put LINE.  Lines come in order, but the last one may come again. */
static bool put_line(LineCoder* c, uint64_t line, uint8_t mask)
{
   if (c->count == 1 && c->line == line) {
      c->mask |= mask;
      return true;
   }
   if (c->count > 0 && c->mask == 0xFF && line + 1 == c->line + c->count)
      return true;
   if (c->count > 0 && c->mask == 0xFF && mask == 0xFF
       && line == c->line + c->count) {
      c->count++;
      return true;
   }
   if (!put_pending(c))
      return false;
   c->line  = line;
   c->count = 1;
   c->mask  = mask;
   return true;
}

COMPARE(by_key, SortKey, UP(key))

/* Put all of S, in units of 64 << 3 * COARSE bytes; stop when that gets too
   much. */
static bool put_all(LineSet* s, const SortKey* order, unsigned coarse,
                    LineCoder* c)
{
   for (size_t i = 0; i < s->pages.n && c->to->n <= c->most; i++) {
      const LinePage* p = &ELEM(s->pages, LinePage, order[i].index);
      uint64_t        first = order[i].key * LINES_PER_PAGE;
      for (unsigned k = 0; k < LINES_PER_PAGE; k++) {
         uint64_t line = first + k;
         if (p->masks[k] == 0)
            continue;
         if (!put_line(c, line >> 3 * coarse,
                       coarse == 0 ? p->masks[k]
                       : (uint8_t)(1u << (line >> (3 * coarse - 3) & 7))))
            return false;
      }
   }
   return put_pending(c);
}

bool lines_put(LineSet* s, uint64_t most, Array* to, LinesHead* head)
{
   uint32_t  n = (uint32_t)s->pages.n;
   SortKey*  order = job_calloc(s->job, n + (size_t)1, sizeof(*order));
   LineCoder c = { .job = s->job, .to = to, .most = most };
   unsigned  coarse = 0;
   bool      ok = order != NULL;

   for (uint32_t i = 0; ok && i < n; i++)
      order[i] = (SortKey){ ELEM(s->numbers, uint64_t, i), i };
   if (ok && n > 1)
      qsort(order, n, sizeof(*order), by_key);
   for (; ok && coarse <= MOST_COARSE; coarse++) {
      array_cut(to, 0);
      array_cut(&c.groups, 0);
      c.n = 0;
      c.end = c.line = c.count = c.mask = 0;
      ok = put_all(s, order, coarse, &c);
      if (to->n + c.groups.n * sizeof(LineGroup) <= most)
         break;
   }
   head->n_groups = (uint32_t)c.groups.n;
   head->coarse   = coarse;
   /* The table of groups stands before the code. */
   if (ok && c.groups.n > 0) {
      size_t   table = c.groups.n * sizeof(LineGroup), size = to->n;
      uint8_t* more = array_add_n(s->job, to, 1, table);
      ok = more != NULL;
      if (ok) {
         uint8_t* all = to->data;
         memmove(all + table, all, size);
         for (size_t i = 0; i < c.groups.n; i++)
            ELEM(c.groups, LineGroup, i).at += table;
         memcpy(all, c.groups.data, table);
      }
   }
   while (ok && to->n % 8 != 0)
      ok = put_byte(&c, 0);
   head->size = (uint32_t)to->n;
   job_free(s->job, order, (n + (size_t)1) * sizeof(*order));
   array_free(s->job, &c.groups, sizeof(LineGroup));
   map_free(s->job, &s->places);
   s->places = (NumberMap){ 0 };
   array_cut(&s->pages, 0);
   array_cut(&s->numbers, 0);
   memset(s->recent, 0, sizeof(s->recent));
   return ok;
}

/*--- Questions                                            ---*/

bool lines_group_has(const uint8_t* at, const uint8_t* end, uint64_t line,
                     uint64_t unit, uint8_t mask)
{
   ByteReader b = { at, end, false };
   uint64_t count = 1;

   for (unsigned i = 0; i < LINE_GROUP && b.at < b.end && !b.failed; i++) {
      uint64_t word = get_varint(&b);
      uint8_t  has = 0xFF;
      line += word >> 2;
      count = 1;
      if ((word & 3) == LINE_PART)      // trailing zeros: mask 0
         has = b.at < b.end ? *b.at++ : 0;
      else if ((word & 3) == LINES_FULL)
         count = get_varint(&b);
      if (line > unit)
         return false;
      if (unit - line < count)
         return (has & mask) != 0;
      line += count;
   }
   return b.failed;
}
