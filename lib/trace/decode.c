/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Decoding a chunk of a trace: which edges it has. */

/* Owns: turning a sequence into edge ids (the format's specification, 3.7).
   Handed: a chunk, by users and by cursor.c.

   There are two steps; the second one calls the first.  Step one turns
   repetitions and references to the dictionary into characters, with a stack
   of return places.  Nothing is expanded in memory: memory is bounded by the
   nesting, and work by the edges that are asked for, however long the
   expansion is.  Step two collects the bits of characters in a 64-bit word.
   The present edge's cells choose a row by these bits, and the row's edges
   are copied. */

#include "lib/trace/codes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return: where to continue at an OP_END or OP_STOP. */
typedef
   struct {
      const uint8_t* at;        // the body, or behind the OP_USE
      uint64_t       left;      // repetitions of the body still to do
   }
   Return;

struct DcfgDecoder {
   const DcfgChunk* chunk;
   const Table*     table;
   Job              job;
   Sequence         sequence;
   const uint8_t*   at;
   uint64_t         bits;       // first bit first
   unsigned         n_bits;
   uint32_t         state;      // the present edge's
   uint32_t         first_cell, state_bits;     // copied from the state
   uint64_t         edges_left;
   const uint32_t*  phrase;     // edges that did not fit
   uint32_t         phrase_left;
   bool             begun;
   uint32_t         depth;
   Return           returns[MAX_NESTING + 1];
};

/*--- From code to bits                                    ---*/

/* Execute an operation.  Return False at the end of the sequence. */
static bool follow(DcfgDecoder* x)
{
   Return*  r;
   uint64_t n;

   switch (*x->at) {
      case OP_REPEAT:
         x->at++;
         n = sequence_number(&x->at);
         r = &x->returns[x->depth++];
         r->at = x->at;
         r->left = n - 1;
         return true;
      case OP_END:
         r = &x->returns[x->depth - 1];
         if (r->left > 0) {
            r->left--;
            x->at = r->at;
         } else {
            x->depth--;
            x->at++;
         }
         return true;
      case OP_USE:
         x->at++;
         n = sequence_number(&x->at);
         x->returns[x->depth++].at = x->at;
         x->at = ((const Entry*)x->table->entries.data)[n].sequence.code;
         return true;
      default:                          // OP_STOP
         if (x->depth == 0)
            return false;
         x->at = x->returns[--x->depth].at;
         return true;
   }
}

/* Fill up to at least 59 bits, or as many as there are. */
static void refill(DcfgDecoder* x)
{
   do {
      while (x->n_bits <= 58 && *x->at < 64) {
         x->bits |= (uint64_t)*x->at++ << (58 - x->n_bits);
         x->n_bits += 6;
      }
   } while (x->n_bits <= 58 && follow(x));
}

/*--- From bits to edges                                   ---*/

static bool fail(DcfgDecoder* x, DcfgStatus status, const char* why,
                 size_t at)
{
   const DcfgChunkInfo* info = &x->chunk->info;
   char                 place[200];

   snprintf(place, sizeof(place), "PROCESSES[%" PRIu32 "].THREAD_DATA"
            "[THREAD_ID=%" PRIu32 "].TRACE_DATA[%" PRIu64 "]",
            info->process, info->thread, info->number);
   job_at(&x->job, info->offset);
   if (at != SIZE_MAX)
      return job_fail(&x->job, status, place,
                      "EDGE_ID_SEQUENCE, character %zu: %s", at, why);
   return job_fail(&x->job, status, place, "after %" PRIu64 " edges: %s",
                   info->n_edges - x->edges_left, why);
}

static bool no_row(DcfgDecoder* x)
{
   if (x->state == NO_STATE)
      return fail(x, DCFG_ERROR_FORMAT,
                  "the transition table has no row for the edge", SIZE_MAX);
   if (x->n_bits < 32)
      return fail(x, DCFG_ERROR_FORMAT, "the sequence ends too early",
                  SIZE_MAX);
   return fail(x, DCFG_ERROR_FORMAT,
               "the transition table has no row for the next bits",
               SIZE_MAX);
}

/* Return the next row, or NULL after an error. */
static inline const TransitionRow* next_row(DcfgDecoder* x)
{
   const Table*         t = x->table;
   const TransitionRow* row;
   uint32_t             index;

   if (x->state == NO_STATE) {
      no_row(x);
      return NULL;
   }
   if (x->n_bits < 32)
      refill(x);
   index = x->first_cell;
   if (x->state_bits > 0)
      index = ((const uint32_t*)t->cells.data)
                 [index + (x->bits >> (64 - x->state_bits))];
   if (index >= LONG_CODE) {
      if (index == LONG_CODE)
         index = table_long_code(t, (const State*)t->states.data + x->state,
                                 (uint32_t)(x->bits >> 32));
      if (index == NO_CODE) {
         no_row(x);
         return NULL;
      }
   }
   row = (const TransitionRow*)t->rows.data + index;
   if (row->length > x->n_bits) {
      no_row(x);
      return NULL;
   }
   x->bits <<= row->length;
   x->n_bits -= row->length;
   x->state = row->state;
   x->first_cell = row->first_cell;
   x->state_bits = row->bits;
   return row;
}

/* Copy the rest of a row's edges, as many as fit. */
static size_t put_phrase(DcfgDecoder* x, uint32_t* to, size_t max)
{
   size_t n = x->phrase_left < max ? x->phrase_left : max;

   if (n == 0)
      return 0;
   memcpy(to, x->phrase, n * sizeof(*to));
   x->phrase += n;
   x->phrase_left -= (uint32_t)n;
   x->edges_left -= n;
   return n;
}

size_t dcfg_decoder_next(DcfgDecoder* x, uint32_t* edge_ids, size_t max,
                         DcfgError* err)
{
   size_t          n = 0;
   const uint32_t* nexts = x->table->nexts.data;

   if (max > x->edges_left)
      max = (size_t)x->edges_left;
   if (max > 0 && !x->begun) {
      edge_ids[n++] = x->chunk->info.first_edge;
      x->edges_left--;
      x->begun = true;
   }
   n += put_phrase(x, edge_ids + n, max - n);
   while (n < max && x->job.err.status == DCFG_OK) {
      const TransitionRow* row = next_row(x);
      if (row == NULL)
         break;
      if (row->n == 1) {
         edge_ids[n++] = row->first;
         x->edges_left--;
      } else if (row->n <= max - n) {
         const uint32_t* from = nexts + row->first;
         uint32_t*       to = edge_ids + n;
         uint32_t        k = row->n;
         n += k;
         x->edges_left -= k;
         do
            *to++ = *from++;
         while (--k > 0);
      } else {
         x->phrase = nexts + row->first;
         x->phrase_left = row->n;
         n += put_phrase(x, edge_ids + n, max - n);
      }
   }
   if (x->edges_left == 0)
      refill(x);                        // so that dcfg_decoder_used_all() is
                                        // right
   job_tell(&x->job, err);
   return n;
}

bool dcfg_decoder_used_all(const DcfgDecoder* x)
{
   return x->edges_left == 0 && x->n_bits < 6
          && x->job.err.status == DCFG_OK;
}

/*--- Chunks and decoders                                  ---*/

DcfgDecoder* dcfg_decoder_new(const DcfgChunk* c, DcfgError* err)
{
   DcfgDecoder* x = calloc(1, sizeof(*x));
   const char*  why = NULL;
   size_t       at;

   if (x == NULL) {
      set_error(err, DCFG_ERROR_MEMORY, c->table->file, NULL, 0,
                "out of memory");
      return NULL;
   }
   job_start(&x->job, c->table->file, NULL);
   job_read(&x->job, c->info.size, c->info.size);
   x->chunk = c;
   x->table = c->table;
   x->edges_left = c->info.n_edges;
   x->state = table_state(c->table, c->info.first_edge);
   if (x->state != NO_STATE) {
      const State* s = (const State*)c->table->states.data + x->state;
      x->first_cell = s->first_cell;
      x->state_bits = s->bits;
   }
   if (!sequence_compile(&x->job, c->table, c->text, c->info.size,
                         &x->sequence, &why, &at)) {
      if (why != NULL)
         fail(x, DCFG_ERROR_FORMAT, why, at);
      job_tell(&x->job, err);
      dcfg_decoder_free(x);
      return NULL;
   }
   x->at = x->sequence.code;
   job_tell(&x->job, err);
   return x;
}

void dcfg_decoder_free(DcfgDecoder* x)
{
   if (x == NULL)
      return;
   sequence_free(&x->job, &x->sequence);
   free(x);
}
