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
   Standing* here;
   Standing  there;
   uint32_t  most = sequence > s->sequence ? sequence : s->sequence;

   while (s->others.n <= most) {
      here = array_add(s->job, &s->others, sizeof(*here));
      if (here == NULL)
         return false;
      *here = (Standing){ DCFG_NONE, DCFG_NONE };
   }
   here = &ELEM(s->others, Standing, s->sequence);
   *here = (Standing){ s->from, s->at == DCFG_NONE ? DCFG_NONE
                                                   : standing_at(s) };
   s->executed += (uint64_t)(s->ahead - s->ahead_set);
   s->sequence = sequence;
   there = ELEM(s->others, Standing, sequence);
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
   array_free(s->job, &s->others, sizeof(Standing));
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

bool lackey_read(Job* job, Input* in, AddressStream* s)
{
   uint8_t* buf = job_calloc(job, 1, BUFFER + BEHIND);
   Reader   r = { job, s, 1, buf, buf, 0 };
   bool     ok = buf != NULL;

   if (ok) {
      input_be_patient(in);
      ok = read_all(&r, in, buf);
      job_free(job, buf, BUFFER + BEHIND);
   }
   return ok;
}
