/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Passages of an instruction stream. */

/* Owns: the instructions that exist, those that follow each other without a
   jump, and the jumps.  Handed: instructions in the order of execution, by
   lackey.c and blocks.c.  Taken by: tally.c, which divides passages where a
   jump was recognised late.

   Each instruction, an address and a size, has a place in the array `code',
   which has its size.  Code that was first executed straight through is in
   neighbouring places.  So most instructions only need two comparisons, and
   touch one byte each:

      code   3 5 2 0 | 4 4 0 | ...      an instruction's size; with JUMPS if
                                        it ever jumped; 0 ends a row
      addrs  its address; at the end of a row the place in another row where
             execution went straight on, or NOWHERE

   The first instruction that follows an instruction without a jump is its
   successor.  If anything else is executed after it, even at the same address
   with another size, the instruction becomes one that jumps.  From then on,
   each time it is executed, a passage ends: from the leader that control came
   to, straight on to here, and on to the next instruction. */

#include "lib/blocks/address_stream.h"

#include <inttypes.h>
#include <string.h>

#define JUMPS   0x80u
#define NOWHERE UINT64_MAX

typedef
   struct {
      uint32_t from, at;
   }
   AddressStanding;

/* Target of AHEAD when the next instruction must be looked at. */
static const uint8_t nothing = 0;

/*--- Instructions                                         ---*/

static inline bool jumps(const AddressStream* s, uint32_t i)
{
   return s->code[i] & JUMPS;
}

/* Return the size.  A long size is in addrs, two places further on, behind the
   end of the row. */
static inline uint32_t size_at(const AddressStream* s, uint32_t i)
{
   uint32_t size = s->code[i] & ~JUMPS;

   return size == LONG_SIZE ? (uint32_t)s->addrs[i + 2] : size;
}

static inline bool is_instr(const AddressStream* s, uint32_t i, uint64_t addr,
                            uint32_t size)
{
   return s->addrs[i] == addr && size_at(s, i) == size;
}

/* Return whether I is the last in its row.  I is not the last of all, or its
   row has ended. */
static inline bool ends_row(const AddressStream* s, uint32_t i)
{
   return s->code[i + 1] == 0;
}

static inline uint64_t successor(const AddressStream* s, uint32_t i)
{
   if (!ends_row(s, i))
      return i + 1;
   return i + 1 < s->n ? s->addrs[i + 1] : NOWHERE;
}

static bool push(AddressStream* s, uint8_t code, uint64_t addr)
{
   if (s->n + 1 >= s->cap) {
      uint32_t  cap = s->cap + s->cap / 2 + 4096;
      uint8_t*  codes;
      uint64_t* addrs;
      if (cap < s->cap)
         return job_fail(s->job, DCFG_ERROR_LIMIT, NULL,
                         "too many instructions");
      codes = job_realloc(s->job, s->code, s->cap, cap);
      if (codes == NULL)
         return false;
      s->code = codes;
      addrs = job_realloc(s->job, s->addrs, s->cap * sizeof(*addrs),
                          cap * sizeof(*addrs));
      if (addrs == NULL) {
         /* The job must count what will be freed. */
         s->code = job_realloc(s->job, s->code, cap, s->cap);
         return false;
      }
      s->addrs = addrs;
      s->cap = cap;
   }
   s->code[s->n] = code;
   s->addrs[s->n++] = addr;
   s->code[s->n] = 0;
   return true;
}

static inline uint32_t first_bucket(const AddressStream* s, uint64_t addr)
{
   return (uint32_t)hash_word(&s->hash, addr) & (s->n_buckets - 1);
}

/* Return the bucket where an instruction is, or would be. */
static inline uint32_t* bucket_of(AddressStream* s, uint64_t addr,
                                  uint32_t size)
{
   uint32_t i = first_bucket(s, addr);

   while (s->buckets[i] != 0 && !is_instr(s, s->buckets[i] - 1, addr, size))
      i = (i + 1) & (s->n_buckets - 1);
   return &s->buckets[i];
}

/* Enlarge the hash table, of which at most three quarters are used. */
static bool make_room(AddressStream* s)
{
   uint32_t  old = s->n_buckets, n = old == 0 ? 4096 : 2 * old;
   uint32_t* buckets = s->buckets;

   if (old == 0)
      s->hash = hash_key();
   if (n == 0)
      return job_fail(s->job, DCFG_ERROR_LIMIT, NULL,
                      "too many instructions");
   s->buckets = job_calloc(s->job, n, sizeof(*buckets));
   if (s->buckets == NULL) {
      s->buckets = buckets;
      return false;
   }
   s->n_buckets = n;
   for (uint32_t i = 0; i < old; i++)
      if (buckets[i] != 0) {
         uint32_t to = first_bucket(s, s->addrs[buckets[i] - 1]);
         while (s->buckets[to] != 0)
            to = (to + 1) & (n - 1);
         s->buckets[to] = buckets[i];
      }
   job_free(s->job, buckets, old * sizeof(*buckets));
   return true;
}

/* Fail if this is the second pass: then everything is known. */
static bool is_known_stream(const AddressStream* s)
{
   return s->dynamics == NULL
          || job_fail(s->job, DCFG_ERROR_ARGUMENT, NULL,
                      "the stream differs from the one that was read first");
}

/* Append a new instruction. */
static bool add_instr(AddressStream* s, uint32_t* bucket, uint64_t addr,
                      uint32_t size)
{
   uint32_t i = s->n;

   if (!is_known_stream(s))
      return false;
   if (size == 0)
      return job_fail(s->job, DCFG_ERROR_FORMAT, NULL,
                      "an instruction of no bytes");
   if (addr > UINT64_MAX - (size - 1))
      return job_fail(s->job, DCFG_ERROR_FORMAT, NULL,
                      "an instruction beyond the last address");
   /* Allow more memory for new code, as for bytes read from a file. */
   job_read(s->job, 16, 16);
   *bucket = i + 1;
   s->n_instrs++;
   if (size < LONG_SIZE)
      return push(s, (uint8_t)size, addr);
   return push(s, LONG_SIZE, addr) && push(s, 0, NOWHERE)
          && push(s, 0, size);
}

/* Return the place of an instruction that control jumped to; NOWHERE after an
   error. */
static uint64_t jump_target(AddressStream* s, uint64_t addr, uint32_t size)
{
   uint32_t* bucket;
   uint32_t  i;

   if (s->n_instrs >= s->n_buckets / 4 * 3 && !make_room(s))
      return NOWHERE;
   bucket = bucket_of(s, addr, size);
   if (*bucket != 0)
      return *bucket - 1;
   /* End the last row first, if it is open. */
   if (s->n > 0 && s->code[s->n - 1] != 0 && !push(s, 0, NOWHERE))
      return NOWHERE;
   i = s->n;
   return add_instr(s, bucket, addr, size) ? i : NOWHERE;
}

/* Make the next instruction the successor of I. */
static uint64_t new_successor(AddressStream* s, uint32_t i, uint64_t addr,
                              uint32_t size)
{
   uint64_t next;

   if (!is_known_stream(s))
      return NOWHERE;
   if (i + 1 == s->n) {
      uint32_t* bucket;
      if (s->n_instrs >= s->n_buckets / 4 * 3 && !make_room(s))
         return NOWHERE;
      bucket = bucket_of(s, addr, size);
      if (*bucket == 0)
         return add_instr(s, bucket, addr, size) ? i + 1 : NOWHERE;
      next = *bucket - 1;
      return push(s, 0, next) ? next : NOWHERE;
   }
   next = jump_target(s, addr, size);
   if (next != NOWHERE)
      s->addrs[i + 1] = next;
   return next;
}

/* --- The path through the code                            --- */

/* Return the place of the last executed instruction. */
static inline uint32_t standing_at(const AddressStream* s)
{
   return s->at + (uint32_t)(s->ahead - s->ahead_set);
}

static inline void stand_at(AddressStream* s, uint32_t i)
{
   s->at = i;
   s->expect = s->addrs[i] + size_at(s, i);
   s->ahead = jumps(s, i) || s->expect == 0 ? &nothing : &s->code[i + 1];
   s->ahead_set = s->ahead;
}

static void stand_nowhere(AddressStream* s)
{
   s->from = s->at = DCFG_NONE;
   s->ahead = s->ahead_set = &nothing;
}

static uint32_t block_at(const AddressStream* s, uint32_t i)
{
   uint32_t word = i / 64;
   uint64_t bit = 1ULL << i % 64;

   if (!(s->starts[word] & bit))
      return DCFG_NONE;
   return s->dynamics->of_piece[s->before[word] + (uint32_t)
             __builtin_popcountll(s->starts[word] & (bit - 1))];
}

/* End a passage at AT; the next one begins at TO. */
static bool arrive(AddressStream* s, uint32_t at, uint64_t to)
{
   if (to == NOWHERE)
      return false;
   if (s->dynamics != NULL) {
      uint32_t block = block_at(s, (uint32_t)to);
      if (block == DCFG_NONE)
         return is_known_stream(s);
      s->visit(s->visit_arg, block);
   } else if (!passage_count(s->job, &s->passages, s->from, at, (uint32_t)to,
                             1)) {
      return false;
   }
   s->from = (uint32_t)to;
   stand_at(s, s->from);
   return true;
}

bool stream_step(AddressStream* s, uint64_t addr, uint32_t size)
{
   uint32_t at;
   uint64_t next;

   s->executed += (uint64_t)(s->ahead - s->ahead_set) + 1;
   if (s->at == DCFG_NONE)
      return arrive(s, DCFG_NONE, jump_target(s, addr, size));
   at = standing_at(s);
   if (!jumps(s, at) && addr == s->expect && s->expect != 0) {
      next = successor(s, at);
      if (next == NOWHERE) {
         next = new_successor(s, at, addr, size);
         if (next == NOWHERE)
            return false;
         stand_at(s, (uint32_t)next);
         return true;
      }
      if (is_instr(s, (uint32_t)next, addr, size)) {
         stand_at(s, (uint32_t)next);
         return true;
      }
   }
   if (!jumps(s, at) && !is_known_stream(s))
      return false;
   next = jump_target(s, addr, size);
   s->code[at] |= JUMPS;
   return arrive(s, at, next);
}

bool stream_stop(AddressStream* s)
{
   bool ok = true;

   if (s->at != DCFG_NONE && s->dynamics != NULL)
      s->visit(s->visit_arg, DCFG_NONE);
   else if (s->at != DCFG_NONE)
      ok = passage_count(s->job, &s->passages, s->from, standing_at(s),
                         DCFG_NONE, 1);
   s->executed += (uint64_t)(s->ahead - s->ahead_set);
   stand_nowhere(s);
   return ok;
}

bool stream_switch(AddressStream* s, uint32_t sequence)
{
   AddressStanding* here;
   AddressStanding  there;
   uint32_t  most = sequence > s->sequence ? sequence : s->sequence;

   while (s->others.n <= most) {
      here = array_add(s->job, &s->others, sizeof(*here));
      if (here == NULL)
         return false;
      *here = (AddressStanding){ DCFG_NONE, DCFG_NONE };
   }
   here = &ELEM(s->others, AddressStanding, s->sequence);
   *here = (AddressStanding){ s->from, s->at == DCFG_NONE ? DCFG_NONE
                                                   : standing_at(s) };
   s->executed += (uint64_t)(s->ahead - s->ahead_set);
   s->sequence = sequence;
   there = ELEM(s->others, AddressStanding, sequence);
   stand_nowhere(s);
   if (there.at != DCFG_NONE) {
      stand_at(s, there.at);
      s->from = there.from;
   }
   return true;
}

uint64_t stream_executed(const AddressStream* s)
{
   return s->executed + (uint64_t)(s->ahead - s->ahead_set);
}

/*--- Pieces                                               ---*/

static inline void begin_piece(AddressStream* s, uint64_t i)
{
   if (i != NOWHERE)
      s->starts[i / 64] |= 1ULL << i % 64;
}

/* Mark the begins of pieces: begins of rows, places where another row goes on,
   instructions behind jumps, begins of passages. */
static bool mark_pieces(AddressStream* s, uint32_t* n_pieces)
{
   uint32_t n = 0, words = s->n / 64 + 1;

   s->starts = job_calloc(s->job, words, sizeof(*s->starts));
   s->before = job_calloc(s->job, words, sizeof(*s->before));
   if (s->starts == NULL || s->before == NULL)
      return false;
   for (uint32_t i = 0; i < s->n; i++)
      if (s->code[i] != 0) {
         if (i == 0 || s->code[i - 1] == 0 || jumps(s, i - 1))
            begin_piece(s, i);
         if (ends_row(s, i))
            begin_piece(s, successor(s, i));
      }
   for (size_t i = 0; i < s->passages.all.n; i++)
      if (passage(&s->passages, (uint32_t)i)->to != DCFG_NONE)
         begin_piece(s, passage(&s->passages, (uint32_t)i)->to);
   for (uint32_t i = 0; i < words; i++) {
      s->before[i] = n;
      n += (uint32_t)__builtin_popcountll(s->starts[i]);
   }
   *n_pieces = n;
   return true;
}

static inline uint32_t piece_of(const AddressStream* s, uint64_t i)
{
   uint64_t upto = (2ULL << i % 64) - 1;

   return s->before[i / 64]
          + (uint32_t)__builtin_popcountll(s->starts[i / 64] & upto) - 1;
}

static void make_pieces(AddressStream* s, Piece* pieces)
{
   for (uint32_t i = 0; i < s->n; i++) {
      Piece*   p;
      uint64_t next;
      if (s->code[i] == 0)
         continue;
      p = &pieces[piece_of(s, i)];
      if (p->n_instrs++ == 0) {
         p->addr = s->addrs[i];
         p->order = size_at(s, i);
      }
      next = successor(s, i);
      p->last = s->addrs[i];
      p->end = p->last + size_at(s, i);
      p->jumps = jumps(s, i);
      p->next = next == NOWHERE ? DCFG_NONE : piece_of(s, next);
   }
}

/* Replace places of instructions by pieces. */
static void translate(const AddressStream* s)
{
   for (uint32_t i = 0; i < s->passages.all.n; i++) {
      Passage* p = passage(&s->passages, i);
      if (p->from != DCFG_NONE) {
         p->from = piece_of(s, p->from);
         p->at = piece_of(s, p->at);
      }
      if (p->to != DCFG_NONE)
         p->to = piece_of(s, p->to);
   }
}

bool stream_tally(AddressStream* s, Tally* statics, Tally* dynamics)
{
   uint32_t n;
   Piece*   pieces;
   bool     ok;

   for (uint32_t i = 0; i < s->others.n || i == s->sequence; i++)
      if ((i != s->sequence && !stream_switch(s, i)) || !stream_stop(s))
         return false;
   passages_seal(s->job, &s->passages);
   if (!mark_pieces(s, &n))
      return false;
   pieces = job_calloc(s->job, n, sizeof(*pieces));
   if (pieces == NULL)
      return false;
   make_pieces(s, pieces);
   translate(s);
   ok = tally(s->job, pieces, n, &s->passages.all, statics, dynamics);
   job_free(s->job, pieces, n * sizeof(*pieces));
   passages_free(s->job, &s->passages);
   return ok;
}

void stream_visit(AddressStream* s, void (*visit)(void* arg, uint32_t block),
                  void* arg, const Tally* dynamics)
{
   s->visit = visit;
   s->visit_arg = arg;
   s->dynamics = dynamics;
   stand_nowhere(s);
}

/*--- Beginning and end                                    ---*/

bool stream_start(AddressStream* s, Job* job)
{
   memset(s, 0, sizeof(*s));
   s->job = job;
   stand_nowhere(s);
   return true;
}

void stream_end(AddressStream* s)
{
   uint32_t words = s->n / 64 + 1;

   job_free(s->job, s->code, s->cap);
   job_free(s->job, s->addrs, s->cap * sizeof(*s->addrs));
   job_free(s->job, s->buckets, s->n_buckets * sizeof(*s->buckets));
   job_free(s->job, s->starts, words * sizeof(*s->starts));
   job_free(s->job, s->before, words * sizeof(*s->before));
   passages_free(s->job, &s->passages);
   array_free(s->job, &s->others, sizeof(AddressStanding));
}
