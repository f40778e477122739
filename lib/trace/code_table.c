/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The transition table of a trace. */

/* Owns: which edges follow an edge for which bits (the format's specification,
   3.5).  Handed: rows in any order, by chunks.c.  Taken by: chunks.c, which
   gives it to each of its chunks, and decode.c.

   Rows are sorted by edge and code.  Each edge has a small array of cells,
   whose index is the next few bits: about two bits more than the number of its
   rows needs.  This finds nearly all codes at once, and takes memory in
   proportion to the rows, whatever their codes are.  Longer codes are searched
   for. */

#include "lib/trace/code_table.h"
#include "lib/trace/sequence.h"
#include "lib/base/sort.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

Table* table_new(Job* job)
{
   Table* t = job_calloc(job, 1, sizeof(*t));

   if (t != NULL) {
      atomic_init(&t->users, 1);
      memcpy(t->file, job->err.file, sizeof(t->file));
   }
   return t;
}

void table_keep(Table* t)
{
   atomic_fetch_add(&t->users, 1);
}

void table_release(Table* t)
{
   if (t == NULL || atomic_fetch_sub(&t->users, 1) > 1)
      return;
   for (size_t i = 0; i < t->entries.n; i++)
      free(ELEM(t->entries, Entry, i).sequence.code);
   free(t->raw_rows.data);
   free(t->raw_nexts.data);
   free(t->rows.data);
   free(t->codes.data);
   free(t->nexts.data);
   free(t->states.data);
   free(t->edges.data);
   free(t->cells.data);
   free(t->entries.data);
   free(t->texts.data);
   free(t->buckets);
   free(t->by_edge);
   free(t);
}

void table_disown(Job* job, const Table* t)
{
   job->used -= sizeof(*t) + t->raw_rows.cap * sizeof(RawRow)
                + t->raw_nexts.cap * sizeof(uint32_t)
                + t->rows.cap * sizeof(TransitionRow)
                + t->codes.cap * sizeof(uint32_t)
                + t->edges.cap * sizeof(uint32_t)
                + t->nexts.cap * sizeof(uint32_t)
                + t->states.cap * sizeof(State)
                + t->cells.cap * sizeof(uint32_t)
                + t->entries.cap * sizeof(Entry) + t->texts.cap
                + t->n_buckets * sizeof(uint32_t)
                + t->n_by_edge * sizeof(uint32_t);
   for (size_t i = 0; i < t->entries.n; i++)
      job->used -= ELEM(t->entries, Entry, i).sequence.size;
}

/*--- Rows                                                 ---*/

static bool bad_row(Job* job, const char* place, uint32_t edge,
                    const char* why)
{
   return job_problem(job, DCFG_PROBLEM_RULE, true, "transition", place,
                      "from edge %u: %s", edge, why);
}

bool table_add_row(Job* job, Table* t, uint32_t edge, const char* code,
                   size_t code_len, const uint64_t* nexts, size_t n,
                   const char* place)
{
   uint32_t  bits = 0;
   RawRow*   row;
   uint32_t* to;

   if (code_len > 32)
      return bad_row(job, place, edge, "a code of more than 32 bits");
   for (size_t i = 0; i < code_len; i++) {
      if (code[i] != '0' && code[i] != '1')
         return bad_row(job, place, edge, "a code is made of 0 and 1");
      bits |= (uint32_t)(code[i] - '0') << (31 - i);
   }
   if (n == 0)
      return bad_row(job, place, edge, "no edge follows");
   row = array_add(job, &t->raw_rows, sizeof(*row));
   to = row == NULL ? NULL
                    : array_add_n(job, &t->raw_nexts, sizeof(*to), n);
   if (to == NULL)
      return false;
   row->edge = edge;
   row->code = bits;
   row->length = (uint32_t)code_len;
   row->first = (uint32_t)(t->raw_nexts.n - n);
   row->n = (uint32_t)n;
   for (size_t i = 0; i < n; i++)
      to[i] = (uint32_t)nexts[i];
   return true;
}

/* Sort rows by edge and code. */
static bool sort_rows(Job* job, Table* t)
{
   RawRow*  rows = t->raw_rows.data;
   uint32_t n = (uint32_t)t->raw_rows.n;
   SortKey* keys = job_calloc(job, n, sizeof(*keys));
   RawRow*  copy = job_realloc(job, NULL, 0, n * sizeof(*copy));
   bool     ok = keys != NULL && copy != NULL;

   for (uint32_t i = 0; ok && i < n; i++) {
      keys[i].key = (uint64_t)rows[i].edge << 32 | rows[i].code;
      keys[i].index = i;
      copy[i] = rows[i];
   }
   ok = ok && sort_keys(job, keys, n);
   for (uint32_t i = 0; ok && i < n; i++)
      rows[i] = copy[keys[i].index];
   job_free(job, keys, n * sizeof(*keys));
   job_free(job, copy, n * sizeof(*copy));
   return ok;
}

/* Return whether one code begins with the other.  If any two do, two neighbours
   in the sorted rows do. */
static bool is_ambiguous(const RawRow* a, const RawRow* b)
{
   uint32_t n = a->length < b->length ? a->length : b->length;

   return n == 0 || a->code >> (32 - n) == b->code >> (32 - n);
}

/* Make a state for each edge; of ambiguous rows the first is kept. */
static bool make_states(Job* job, Table* t, const char* place)
{
   RawRow*  rows = t->raw_rows.data;
   uint32_t kept = 0;

   for (uint32_t i = 0; i < t->raw_rows.n; i++) {
      State* s;
      if (kept > 0 && rows[kept - 1].edge == rows[i].edge) {
         if (is_ambiguous(&rows[kept - 1], &rows[i])) {
            if (!bad_row(job, place, rows[i].edge,
                         "two codes, and one begins with the other"))
               return false;
            continue;
         }
         s = &ELEM(t->states, State, t->states.n - 1);
      } else {
         uint32_t* edge = array_add(job, &t->edges, sizeof(*edge));
         s = array_add(job, &t->states, sizeof(*s));
         if (edge == NULL || s == NULL)
            return false;
         *edge = rows[i].edge;
         s->first_row = kept;
      }
      s->n_rows++;
      rows[kept++] = rows[i];
   }
   array_cut(&t->raw_rows, kept);
   return true;
}

static bool map_edges(Job* job, Table* t)
{
   uint32_t n = (uint32_t)t->edges.n, max;

   if (n == 0)
      return true;
   max = ELEM(t->edges, uint32_t, n - 1);
   if (max / 8 > n)
      return true;
   t->by_edge = job_nones(job, max + (size_t)1);
   if (t->by_edge == NULL)
      return false;
   t->n_by_edge = max + 1;
   for (uint32_t i = 0; i < n; i++)
      t->by_edge[ELEM(t->edges, uint32_t, i)] = i;
   return true;
}

uint32_t table_state(const Table* t, uint32_t edge)
{
   uint32_t low = 0;

   if (t->by_edge != NULL)
      return edge < t->n_by_edge ? t->by_edge[edge] : NO_STATE;
   BISECT(low, (uint32_t)t->edges.n, middle,
          ELEM(t->edges, uint32_t, middle) < edge);
   return low < t->edges.n && ELEM(t->edges, uint32_t, low) == edge
          ? low : NO_STATE;
}

/* --- Edges that must follow                               --- */

/* The most edges that a row is extended by because only they can follow. */
#define MAX_CHAIN 16

static uint32_t last_state(const Table* t, const RawRow* r)
{
   return table_state(t, ELEM(t->raw_nexts, uint32_t, r->first + r->n - 1));
}

static bool put_nexts(Job* job, Table* t, const RawRow* r)
{
   uint32_t* to = array_add_n(job, &t->nexts, sizeof(*to), r->n);

   if (to != NULL)
      memcpy(to, part(&t->raw_nexts, r->first), r->n * sizeof(*to));
   return to != NULL;
}

static bool make_row(Job* job, Table* t, const RawRow* from, TransitionRow* row)
{
   const RawRow* raw = t->raw_rows.data;
   size_t        first = t->nexts.n;
   uint32_t      n = from->n;

   row->length = (uint16_t)from->length;
   row->state = last_state(t, from);
   if (!put_nexts(job, t, from))
      return false;
   while (row->state != NO_STATE) {
      const State*  s = &ELEM(t->states, State, row->state);
      const RawRow* only = &raw[s->first_row];
      if (only->length > 0 || only->n > MAX_CHAIN || n + only->n > MAX_CHAIN)
         break;
      if (!put_nexts(job, t, only))
         return false;
      n += only->n;
      row->state = last_state(t, only);
   }
   row->first = (uint32_t)first;
   row->n = n;
   if (n == 1) {
      row->first = ELEM(t->nexts, uint32_t, first);
      array_cut(&t->nexts, first);
   }
   return true;
}

static bool make_rows(Job* job, Table* t)
{
   size_t         n = t->raw_rows.n;
   TransitionRow* rows;
   uint32_t*      codes;

   if (n == 0)
      return true;
   rows = array_add_n(job, &t->rows, sizeof(TransitionRow), n);
   codes = array_add_n(job, &t->codes, sizeof(uint32_t), n);
   if (rows == NULL || codes == NULL)
      return false;
   for (size_t i = 0; i < n; i++) {
      const RawRow* raw = &ELEM(t->raw_rows, RawRow, i);
      codes[i] = raw->code;
      if (!make_row(job, t, raw, &rows[i]))
         return false;
   }
   return true;
}

/*--- Cells                                                ---*/

static bool make_cells(Job* job, Table* t, State* s)
{
   const RawRow* rows = &ELEM(t->raw_rows, RawRow, s->first_row);
   uint32_t      bits = 0, longest = 0;
   uint32_t*     cells;

   for (uint32_t i = 0; i < s->n_rows; i++)
      if (rows[i].length > longest)
         longest = rows[i].length;
   while (bits < 28 && s->n_rows >> bits > 0)
      bits++;
   bits++;
   if (bits > longest)
      bits = longest;
   s->bits = bits;
   if (bits == 0) {
      s->first_cell = s->first_row;
      return true;
   }
   s->first_cell = (uint32_t)t->cells.n;
   cells = array_add_n(job, &t->cells, sizeof(*cells), (size_t)1 << bits);
   if (cells == NULL)
      return false;
   memset(cells, 0xff, ((size_t)1 << bits) * sizeof(*cells));  // NO_CODE
   for (uint32_t i = 0; i < s->n_rows; i++) {
      uint32_t first = rows[i].code >> (32 - bits);
      if (rows[i].length > bits) {
         cells[first] = LONG_CODE;
      } else {
         uint32_t n = 1U << (bits - rows[i].length);
         for (uint32_t k = 0; k < n; k++)
            cells[first + k] = s->first_row + i;
      }
   }
   return true;
}

uint32_t table_long_code(const Table* t, const State* s, uint32_t bits)
{
   uint32_t        low = s->first_row;
   const uint32_t* codes = t->codes.data;
   uint32_t        length;

   /* Find the last code that is not greater. */
   BISECT(low, s->first_row + s->n_rows, middle, codes[middle] <= bits);
   if (low == s->first_row)
      return NO_CODE;
   low--;
   length = ELEM(t->rows, TransitionRow, low).length;
   return (codes[low] ^ bits) >> (32 - length) == 0 ? low : NO_CODE;
}

bool table_finish(Job* job, Table* t, const char* place)
{
   t->finished = true;
   if (!sort_rows(job, t) || !make_states(job, t, place)
       || !map_edges(job, t) || !make_rows(job, t))
      return false;
   for (uint32_t i = 0; i < t->states.n; i++)
      if (!make_cells(job, t, &ELEM(t->states, State, i)))
         return false;
   for (uint32_t i = 0; i < t->rows.n; i++) {
      TransitionRow* row = &ELEM(t->rows, TransitionRow, i);
      if (row->state != NO_STATE) {
         const State* s = &ELEM(t->states, State, row->state);
         row->first_cell = s->first_cell;
         row->bits = (uint16_t)s->bits;
      }
   }
   array_free(job, &t->raw_rows, sizeof(RawRow));
   array_free(job, &t->raw_nexts, sizeof(uint32_t));
   array_trim(job, &t->states, sizeof(State));
   array_trim(job, &t->edges, sizeof(uint32_t));
   array_trim(job, &t->nexts, sizeof(uint32_t));
   array_trim(job, &t->cells, sizeof(uint32_t));
   return table_finish_dictionary(job, t, place);
}
