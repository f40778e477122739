/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Passages of a stream of instructions: what follows without a jump. */

/* Owns: the instructions that exist, the passages between their jumps, and the
   syntax of lines of valgrind --tool=lackey --trace-mem=yes.  Handed:
   instructions in the order of execution by blocks.c, or Lackey's text by
   input.c.  tally.c divides passages where a jump was recognised late.

   Each instruction, an address and a size, has a place in the array `code',
   which has its size.  Code that was first executed straight through is in
   neighbouring places.  So most instructions only need two comparisons, and
   touch one byte each:

      code   3 5 2 0 | 4 4 0 | ...      an instruction's size; with JUMPS if
                                        it ever jumped; 0 ends a row
      addrs  its address; at the end of a row the place in another row where
             execution went straight on, or NOWHERE

   The first instruction that follows an instruction without a jump is its
   successor.  If anything else is executed after it, even at the same
   address with another size, the instruction becomes one that jumps.  From
   then on, each time it is executed, a passage ends: from the leader that
   control came to, straight on to here, and on to the next instruction. */

#include "lib/blocks/streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JUMPS   0x80u
#define NOWHERE UINT64_MAX

/* Target of AHEAD when the next instruction must be looked at. */
static const uint8_t nothing = 0;

/*--- Instructions                                         ---*/

static inline bool jumps(const AddressStream* stream, uint32_t i)
{
   return stream->code[i] & JUMPS;
}

/* Return the size.  A long size is in addrs, two places further on, behind the
   end of the row. */
static inline uint32_t size_at(const AddressStream* stream, uint32_t i)
{
   uint32_t size = stream->code[i] & ~JUMPS;

   return size == LONG_SIZE ? (uint32_t)stream->addrs[i + 2] : size;
}

static inline bool is_instr(const AddressStream* stream, uint32_t i,
                            uint64_t addr, uint32_t size)
{
   return stream->addrs[i] == addr && size_at(stream, i) == size;
}

/* Return whether I is the last in its row.  I is not the last of all, or its
   row has ended. */
static inline bool ends_row(const AddressStream* stream, uint32_t i)
{
   return stream->code[i + 1] == 0;
}

static inline uint64_t successor(const AddressStream* stream, uint32_t i)
{
   if (!ends_row(stream, i))
      return i + 1;
   return i + 1 < stream->n ? stream->addrs[i + 1] : NOWHERE;
}

static bool push(AddressStream* stream, uint8_t code, uint64_t addr)
{
   if (stream->n + 1 >= stream->cap) {
      uint32_t  cap = stream->cap + stream->cap / 2 + 4096;
      uint8_t*  codes;
      uint64_t* addrs;
      if (cap < stream->cap)
         return job_fail(stream->job, DCFG_ERROR_LIMIT, NULL,
                         "too many instructions");
      codes = job_realloc(stream->job, stream->code, stream->cap, cap);
      if (codes == NULL)
         return false;
      stream->code = codes;
      addrs = job_realloc(stream->job, stream->addrs,
                          stream->cap * sizeof(*addrs), cap * sizeof(*addrs));
      if (addrs == NULL) {
         /* The job must count what will be freed. */
         stream->code = job_realloc(stream->job, stream->code, cap,
                                    stream->cap);
         return false;
      }
      stream->addrs = addrs;
      stream->cap = cap;
   }
   stream->code[stream->n] = code;
   stream->addrs[stream->n++] = addr;
   stream->code[stream->n] = 0;
   return true;
}

static inline uint32_t first_bucket(const AddressStream* stream, uint64_t addr)
{
   return (uint32_t)hash_word(&stream->hash, addr) & (stream->n_buckets - 1);
}

/* Return the bucket where an instruction is, or would be. */
static inline uint32_t* bucket_of(AddressStream* stream, uint64_t addr,
                                  uint32_t size)
{
   uint32_t i = first_bucket(stream, addr);

   while (stream->buckets[i] != 0
          && !is_instr(stream, stream->buckets[i] - 1, addr, size))
      i = (i + 1) & (stream->n_buckets - 1);
   return &stream->buckets[i];
}

/* Enlarge the hash table, of which at most three quarters are used. */
static bool make_room(AddressStream* stream)
{
   uint32_t  old = stream->n_buckets, n = old == 0 ? 4096 : 2 * old;
   uint32_t* buckets = stream->buckets;

   if (old == 0)
      stream->hash = hash_key();
   if (n == 0)
      return job_fail(stream->job, DCFG_ERROR_LIMIT, NULL,
                      "too many instructions");
   stream->buckets = job_calloc(stream->job, n, sizeof(*buckets));
   if (stream->buckets == NULL) {
      stream->buckets = buckets;
      return false;
   }
   stream->n_buckets = n;
   for (uint32_t i = 0; i < old; i++)
      if (buckets[i] != 0) {
         uint32_t to = first_bucket(stream, stream->addrs[buckets[i] - 1]);
         while (stream->buckets[to] != 0)
            to = (to + 1) & (n - 1);
         stream->buckets[to] = buckets[i];
      }
   job_free(stream->job, buckets, old * sizeof(*buckets));
   return true;
}

/* Fail if this is the second pass: then everything is known. */
static bool is_known_stream(const AddressStream* stream)
{
   return stream->dynamics == NULL
          || job_fail(stream->job, DCFG_ERROR_ARGUMENT, NULL,
                      "the stream differs from the one that was read first");
}

/* Append a new instruction. */
static bool add_instr(AddressStream* stream, uint32_t* bucket, uint64_t addr,
                      uint32_t size)
{
   uint32_t i = stream->n;

   if (!is_known_stream(stream))
      return false;
   if (size == 0)
      return job_fail(stream->job, DCFG_ERROR_FORMAT, NULL,
                      "an instruction of no bytes");
   if (addr > UINT64_MAX - (size - 1))
      return job_fail(stream->job, DCFG_ERROR_FORMAT, NULL,
                      "an instruction beyond the last address");
   /* Allow more memory for new code, as for bytes read from a file. */
   job_read(stream->job, 16, 16);
   *bucket = i + 1;
   stream->n_instrs++;
   if (size < LONG_SIZE)
      return push(stream, (uint8_t)size, addr);
   return push(stream, LONG_SIZE, addr) && push(stream, 0, NOWHERE)
          && push(stream, 0, size);
}

/* Return the place of an instruction that control jumped to; NOWHERE after an
   error. */
static uint64_t jump_target(AddressStream* stream, uint64_t addr, uint32_t size)
{
   uint32_t* bucket;
   uint32_t  i;

   if (stream->n_instrs >= stream->n_buckets / 4 * 3 && !make_room(stream))
      return NOWHERE;
   bucket = bucket_of(stream, addr, size);
   if (*bucket != 0)
      return *bucket - 1;
   /* End the last row first, if it is open. */
   if (stream->n > 0 && stream->code[stream->n - 1] != 0
       && !push(stream, 0, NOWHERE))
      return NOWHERE;
   i = stream->n;
   return add_instr(stream, bucket, addr, size) ? i : NOWHERE;
}

/* Make the next instruction the successor of I. */
static uint64_t new_successor(AddressStream* stream, uint32_t i, uint64_t addr,
                              uint32_t size)
{
   uint64_t next;

   if (!is_known_stream(stream))
      return NOWHERE;
   if (i + 1 == stream->n) {
      uint32_t* bucket;
      if (stream->n_instrs >= stream->n_buckets / 4 * 3 && !make_room(stream))
         return NOWHERE;
      bucket = bucket_of(stream, addr, size);
      if (*bucket == 0)
         return add_instr(stream, bucket, addr, size) ? i + 1 : NOWHERE;
      next = *bucket - 1;
      return push(stream, 0, next) ? next : NOWHERE;
   }
   next = jump_target(stream, addr, size);
   if (next != NOWHERE)
      stream->addrs[i + 1] = next;
   return next;
}

/* --- The path through the code                            --- */

/* Return the place of the last executed instruction. */
static inline uint32_t standing_at(const AddressStream* stream)
{
   return stream->at + (uint32_t)(stream->ahead - stream->ahead_set);
}

static inline void stand_at(AddressStream* stream, uint32_t i)
{
   stream->at = i;
   stream->expect = stream->addrs[i] + size_at(stream, i);
   stream->ahead = jumps(stream, i) || stream->expect == 0
                   ? &nothing : &stream->code[i + 1];
   stream->ahead_set = stream->ahead;
}

static void stand_nowhere(AddressStream* stream)
{
   stream->from = stream->at = DCFG_NONE;
   stream->ahead = stream->ahead_set = &nothing;
}

static uint32_t block_at(const AddressStream* stream, uint32_t i)
{
   uint32_t word = i / 64;
   uint64_t bit = 1ULL << i % 64;

   if (!(stream->starts[word] & bit))
      return DCFG_NONE;
   return stream->dynamics->of_piece[stream->before[word] + (uint32_t)
                  __builtin_popcountll(stream->starts[word] & (bit - 1))];
}

/* End a passage at AT; the next one begins at TO. */
static bool arrive(AddressStream* stream, uint32_t at, uint64_t to)
{
   if (to == NOWHERE)
      return false;
   if (stream->dynamics != NULL) {
      uint32_t block = block_at(stream, (uint32_t)to);
      if (block == DCFG_NONE)
         return is_known_stream(stream);
      stream->visit(stream->visit_arg, block);
   } else if (!passage_count(stream->job, &stream->passages, stream->from, at,
                             (uint32_t)to, 1)) {
      return false;
   }
   stream->from = (uint32_t)to;
   stand_at(stream, stream->from);
   return true;
}

bool stream_step(AddressStream* stream, uint64_t addr, uint32_t size)
{
   uint32_t at;
   uint64_t next;

   stream->executed += (uint64_t)(stream->ahead - stream->ahead_set) + 1;
   if (stream->at == DCFG_NONE)
      return arrive(stream, DCFG_NONE, jump_target(stream, addr, size));
   at = standing_at(stream);
   if (!jumps(stream, at) && addr == stream->expect && stream->expect != 0) {
      next = successor(stream, at);
      if (next == NOWHERE) {
         next = new_successor(stream, at, addr, size);
         if (next == NOWHERE)
            return false;
         stand_at(stream, (uint32_t)next);
         return true;
      }
      if (is_instr(stream, (uint32_t)next, addr, size)) {
         stand_at(stream, (uint32_t)next);
         return true;
      }
   }
   if (!jumps(stream, at) && !is_known_stream(stream))
      return false;
   next = jump_target(stream, addr, size);
   stream->code[at] |= JUMPS;
   return arrive(stream, at, next);
}

bool stream_stop(AddressStream* stream)
{
   bool ok = true;

   if (stream->at != DCFG_NONE && stream->dynamics != NULL)
      stream->visit(stream->visit_arg, DCFG_NONE);
   else if (stream->at != DCFG_NONE)
      ok = passage_count(stream->job, &stream->passages, stream->from,
                         standing_at(stream), DCFG_NONE, 1);
   stream->executed += (uint64_t)(stream->ahead - stream->ahead_set);
   stand_nowhere(stream);
   return ok;
}

bool stream_switch(AddressStream* stream, uint32_t sequence)
{
   Standing* here;
   Standing  there;
   uint32_t  most = sequence > stream->sequence ? sequence : stream->sequence;

   while (stream->others.n <= most) {
      here = array_add(stream->job, &stream->others, sizeof(*here));
      if (here == NULL)
         return false;
      *here = (Standing){ DCFG_NONE, DCFG_NONE };
   }
   here = &ELEM(stream->others, Standing, stream->sequence);
   *here = (Standing){ stream->from, stream->at == DCFG_NONE
                                     ? DCFG_NONE : standing_at(stream) };
   stream->executed += (uint64_t)(stream->ahead - stream->ahead_set);
   stream->sequence = sequence;
   there = ELEM(stream->others, Standing, sequence);
   stand_nowhere(stream);
   if (there.at != DCFG_NONE) {
      stand_at(stream, there.at);
      stream->from = there.from;
   }
   return true;
}

uint64_t stream_executed(const AddressStream* stream)
{
   return stream->executed + (uint64_t)(stream->ahead - stream->ahead_set);
}

/*--- Pieces                                               ---*/

static inline void begin_piece(AddressStream* stream, uint64_t i)
{
   if (i != NOWHERE)
      stream->starts[i / 64] |= 1ULL << i % 64;
}

/* Mark the begins of pieces: begins of rows, places where another row goes on,
   instructions behind jumps, begins of passages. */
static bool mark_pieces(AddressStream* stream, uint32_t* n_pieces)
{
   uint32_t n = 0, words = stream->n / 64 + 1;

   stream->starts = job_calloc(stream->job, words, sizeof(*stream->starts));
   stream->before = job_calloc(stream->job, words, sizeof(*stream->before));
   if (stream->starts == NULL || stream->before == NULL)
      return false;
   for (uint32_t i = 0; i < stream->n; i++)
      if (stream->code[i] != 0) {
         if (i == 0 || stream->code[i - 1] == 0 || jumps(stream, i - 1))
            begin_piece(stream, i);
         if (ends_row(stream, i))
            begin_piece(stream, successor(stream, i));
      }
   for (size_t i = 0; i < stream->passages.all.n; i++)
      if (passage(&stream->passages, (uint32_t)i)->to != DCFG_NONE)
         begin_piece(stream, passage(&stream->passages, (uint32_t)i)->to);
   for (uint32_t i = 0; i < words; i++) {
      stream->before[i] = n;
      n += (uint32_t)__builtin_popcountll(stream->starts[i]);
   }
   *n_pieces = n;
   return true;
}

static inline uint32_t piece_of(const AddressStream* stream, uint64_t i)
{
   uint64_t upto = (2ULL << i % 64) - 1;

   return stream->before[i / 64]
          + (uint32_t)__builtin_popcountll(stream->starts[i / 64] & upto) - 1;
}

static void make_pieces(AddressStream* stream, Piece* pieces)
{
   for (uint32_t i = 0; i < stream->n; i++) {
      Piece*   p;
      uint64_t next;
      if (stream->code[i] == 0)
         continue;
      p = &pieces[piece_of(stream, i)];
      if (p->n_instrs++ == 0) {
         p->addr = stream->addrs[i];
         p->order = size_at(stream, i);
      }
      next = successor(stream, i);
      p->last = stream->addrs[i];
      p->end = p->last + size_at(stream, i);
      p->jumps = jumps(stream, i);
      p->next = next == NOWHERE ? DCFG_NONE : piece_of(stream, next);
   }
}

/* Replace places of instructions by pieces. */
static void translate(const AddressStream* stream)
{
   for (uint32_t i = 0; i < stream->passages.all.n; i++) {
      Passage* p = passage(&stream->passages, i);
      if (p->from != DCFG_NONE) {
         p->from = piece_of(stream, p->from);
         p->at = piece_of(stream, p->at);
      }
      if (p->to != DCFG_NONE)
         p->to = piece_of(stream, p->to);
   }
}

bool stream_tally(AddressStream* stream, Tally* statics, Tally* dynamics)
{
   uint32_t n;
   Piece*   pieces;
   bool     ok;

   for (uint32_t i = 0; i < stream->others.n || i == stream->sequence; i++)
      if ((i != stream->sequence && !stream_switch(stream, i))
          || !stream_stop(stream))
         return false;
   passages_seal(stream->job, &stream->passages);
   if (!mark_pieces(stream, &n))
      return false;
   pieces = job_calloc(stream->job, n, sizeof(*pieces));
   if (pieces == NULL)
      return false;
   make_pieces(stream, pieces);
   translate(stream);
   ok = tally(stream->job, pieces, n, &stream->passages.all, statics, dynamics);
   job_free(stream->job, pieces, n * sizeof(*pieces));
   passages_free(stream->job, &stream->passages);
   return ok;
}

void stream_visit(AddressStream* stream,
                  void (*visit)(void* arg, uint32_t block),
                  void* arg, const Tally* dynamics)
{
   stream->visit = visit;
   stream->visit_arg = arg;
   stream->dynamics = dynamics;
   stand_nowhere(stream);
}

/*--- Beginning and end                                    ---*/

bool stream_start(AddressStream* stream, Job* job)
{
   memset(stream, 0, sizeof(*stream));
   stream->job = job;
   stand_nowhere(stream);
   return true;
}

void stream_end(AddressStream* stream)
{
   uint32_t words = stream->n / 64 + 1;

   job_free(stream->job, stream->code, stream->cap);
   job_free(stream->job, stream->addrs, stream->cap * sizeof(*stream->addrs));
   job_free(stream->job, stream->buckets,
            stream->n_buckets * sizeof(*stream->buckets));
   job_free(stream->job, stream->starts, words * sizeof(*stream->starts));
   job_free(stream->job, stream->before, words * sizeof(*stream->before));
   passages_free(stream->job, &stream->passages);
   array_free(stream->job, &stream->others, sizeof(Standing));
}

/*--- Lackey's text                                        ---*/

/* Size of the buffer: Lackey has no longer lines.  The bytes behind it can be
   read together with the last ones. */
#define BUFFER (256U << 10)
#define BEHIND 32U

typedef
   struct {
      Job*           job;
      AddressStream* stream;
      uint64_t       line;      // number of the present line, from 1
      const uint8_t* start;     // begin of that line
      const uint8_t* buf;
      uint64_t       before;    // text before BUF, in bytes
   }
   Reader;

/* 1 + the value of a hexadecimal digit; 0 for other characters. */
#define D(c) [c] = (c) - '0' + 1
#define H(c, n) [c] = (n) + 1, [(c) - 'a' + 'A'] = (n) + 1
static const uint8_t digits[256] = {
   D('0'), D('1'), D('2'), D('3'), D('4'), D('5'), D('6'), D('7'), D('8'),
   D('9'), H('a', 10), H('b', 11), H('c', 12), H('d', 13), H('e', 14),
   H('f', 15)
};
#undef D
#undef H

static inline unsigned digit(uint8_t c)
{
   return (unsigned)digits[c] - 1;
}

static bool wrong(Reader* r, const char* what)
{
   char place[40];

   job_at(r->job, r->before + (uint64_t)(r->start - r->buf));
   snprintf(place, sizeof(place), "line %" PRIu64, r->line);
   return job_fail(r->job, DCFG_ERROR_FORMAT, place, "%s", what);
}

/* Fail at the present line: the stream refused an instruction. */
static bool refused(Reader* r)
{
   char place[40];

   snprintf(place, sizeof(place), "line %" PRIu64, r->line);
   job_place(r->job, place);
   return false;
}

/* --- Usual lines                                          --- */

/* Nearly every line is three characters, eight or more small hexadecimal
   digits, a comma, one decimal digit.  Such lines are read eight characters at
   a time, without a branch on the number of digits, which is unpredictable. All
   other lines go to other_line(). */

#define EACH_BYTE(n) ((n) * 0x0101010101010101ULL)

/* Return eight characters, the first one in the lowest byte. */
static inline uint64_t eight_chars(const uint8_t* p)
{
   uint64_t text;

   memcpy(&text, p, sizeof(text));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
   text = __builtin_bswap64(text);
#endif
   return text;
}

/* Return the value of the leading digits among eight characters, as if zeros
   followed.  *N is their number.  In ASCII, the high half of a digit's byte is
   3 and of a letter's 6; the low half is at most 9, or 1 to 6. */
static inline uint64_t eight_digits(uint64_t text, unsigned* n)
{
   uint64_t letters = text >> 6 & EACH_BYTE(1);
   uint64_t low = text & EACH_BYTE(0x0F);
   uint64_t high = text & EACH_BYTE(0xF0);
   uint64_t v = low + 9 * letters;
   uint64_t bad = (high ^ (EACH_BYTE(0x30) + 0x30 * letters))
                  | ((v + 6 * (EACH_BYTE(1) - letters)) & EACH_BYTE(0xF0))
                  | (~((low | EACH_BYTE(0x80)) - letters) & EACH_BYTE(0x80));

   *n = bad == 0 ? 8 : (unsigned)__builtin_ctzll(bad) / 8;
   v = __builtin_bswap64(v & EACH_BYTE(0x0F));
   v = (v | v >> 4) & 0x00FF00FF00FF00FFULL;
   v = (v | v >> 8) & 0x0000FFFF0000FFFFULL;
   return (v | v >> 16) & 0xFFFFFFFFULL;
}

/* Like address(), for usual lines only; NULL for others. */
static inline const uint8_t* usual_address(const uint8_t* p, uint64_t* addr,
                                           uint32_t* size)
{
   unsigned n, more;
   uint64_t a = eight_digits(eight_chars(p), &n);
   uint64_t b = eight_digits(eight_chars(p + 8), &more);

   p += 8 + more;
   *addr = a << 4 * more | b >> (32 - 4 * more);
   *size = (uint32_t)p[1] - '0';
   return n == 8 && p[0] == ',' && *size - 1 < 9 && p[2] == '\n' ? p + 3
                                                                  : NULL;
}

/* Three characters in the form of eight_chars(). */
#define THREE(a, b, c) ((uint64_t)(a) | (uint64_t)(b) << 8 \
                        | (uint64_t)(c) << 16)

static inline bool is_usual_instr(uint64_t text)
{
   return (text & 0xFFFFFF) == THREE('I', ' ', ' ');
}

static inline bool is_usual_data(uint64_t text)
{
   text &= 0xFFFFFF;
   return (text == THREE(' ', 'L', ' ')) | (text == THREE(' ', 'S', ' '))
          | (text == THREE(' ', 'M', ' '));
}

/* --- Any line                                             --- */

/* Read "ADDR,SIZE" and the newline.  Return the begin of the next line, or NULL
   with *WHY set. */
static const uint8_t* address(const uint8_t* p, uint64_t* addr,
                              uint32_t* size, const char** why)
{
   const uint8_t* start = p;
   uint64_t       a = 0, over = 0, n = 0;
   unsigned       d;

   for (; (d = digit(*p)) < 16; p++) {
      over |= a >> 60;
      a = a << 4 | d;
   }
   if (p == start || *p != ',') {
      *why = "not Lackey's: an address is not followed by a comma";
      return NULL;
   }
   if (over != 0) {
      *why = "an address of more than 64 bits";
      return NULL;
   }
   start = ++p;
   for (; (d = (unsigned)*p - '0') < 10; p++)
      n = n > UINT32_MAX ? n : n * 10 + d;
   if (p == start || *p != '\n') {
      *why = "not Lackey's: a comma is not followed by a number alone";
      return NULL;
   }
   if (n == 0 || n > UINT32_MAX) {
      *why = n == 0 ? "a size of no bytes" : "a size of more than 32 bits";
      return NULL;
   }
   *addr = a;
   *size = (uint32_t)n;
   return p + 1;
}

/* Read a line: an instruction; or, with *SIZE 0, a data access or a line of
   Valgrind.  Return as address() does. */
static const uint8_t* other_line(const uint8_t* p, uint64_t* addr,
                                 uint32_t* size, const char** why)
{
   bool instr = p[0] == 'I' && p[1] == ' ';

   if (p[0] == '=' && p[1] == '=') {
      while (*p != '\n')
         p++;
      *size = 0;
      return p + 1;
   }
   if (!instr && (p[0] != ' ' || (p[1] != 'L' && p[1] != 'S' && p[1] != 'M')
                  || p[2] != ' ')) {
      *why = "neither an instruction nor a data access";
      return NULL;
   }
   p += instr ? 2 : 3;
   while (*p == ' ')
      p++;
   p = address(p, addr, size, why);
   if (!instr)
      *size = 0;
   return p;
}

/* Read the lines from P to END, which is behind a newline. */
static bool read_lines(Reader* r, const uint8_t* p, const uint8_t* end)
{
   const char* why = NULL;

   for (; p < end; r->line++) {
      uint64_t       text = eight_chars(p), addr;
      uint32_t       size;
      bool           instr = is_usual_instr(text);
      const uint8_t* next = NULL;
      if (instr | is_usual_data(text))
         next = usual_address(p + 3, &addr, &size);
      r->start = p;
      if (next == NULL) {
         next = other_line(p, &addr, &size, &why);
         if (next == NULL)
            return wrong(r, why);
         instr = size > 0;
      }
      p = next;
      if (instr && !stream_add(r->stream, addr, size))
         return refused(r);
   }
   return true;
}

static const uint8_t* last_newline(const uint8_t* buf, size_t n)
{
   while (n > 0 && buf[n - 1] != '\n')
      n--;
   return n == 0 ? NULL : buf + n - 1;
}

static bool read_all(Reader* r, Input* in, uint8_t* buf)
{
   size_t   have = 0, got;
   uint64_t before = stream_executed(r->stream);

   for (;;) {
      const uint8_t* newline;
      if (!input_read(in, buf + have, BUFFER - have, &got))
         return false;
      if (got == 0)
         break;
      newline = last_newline(buf + have, got);
      have += got;
      if (newline != NULL) {
         size_t used = (size_t)(newline - buf) + 1;
         if (!read_lines(r, buf, newline + 1))
            return false;
         memmove(buf, buf + used, have - used);
         have -= used;
         r->before += used;
         r->start = buf;
      }
      if (have == BUFFER)
         return wrong(r, "not Lackey's: a line without an end");
   }
   if (have > 0)
      return wrong(r, "the stream ends in the middle of a line");
   if (stream_executed(r->stream) == before)
      return wrong(r, "the stream ends without an instruction");
   return true;
}

bool lackey_read(Job* job, Input* in, AddressStream* stream)
{
   uint8_t* buf = job_calloc(job, 1, BUFFER + BEHIND);
   Reader   r = { job, stream, 1, buf, buf, 0 };
   bool     ok = buf != NULL;

   if (ok) {
      input_be_patient(in);
      ok = read_all(&r, in, buf);
      job_free(job, buf, BUFFER + BEHIND);
   }
   return ok;
}
