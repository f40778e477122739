/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A stream of instructions: what follows without a jump. */

/* Owns: the instructions that exist, and the syntax of lines of valgrind
   --tool=lackey --trace-mem=yes.  Handed: instructions in the order of
   execution by blocks.c, or Lackey's text by input.c.

   An instruction is an address and a size, and a unit of tally.c.  They are
   numbered as they were first executed.  So the next one is mostly the
   successor of the last one, and its number one more. */

#include "lib/blocks/streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*--- Instructions                                         ---*/

/* Return the bucket where an instruction is, or would be. */
static uint32_t* bucket_of(const AddressStream* stream, uint64_t addr,
                           uint32_t size)
{
   uint32_t mask = stream->n_buckets - 1;
   uint32_t i = (uint32_t)hash_word(&stream->hash, addr) & mask;

   for (; stream->buckets[i] != 0; i = (i + 1) & mask) {
      const Unit* u = unit(&stream->s, stream->buckets[i] - 1);
      if (u->addr == addr && u->size == size)
         break;
   }
   return &stream->buckets[i];
}

static void free_buckets(AddressStream* stream)
{
   job_free(stream->s.job, stream->buckets,
            stream->n_buckets * sizeof(*stream->buckets));
   stream->buckets = NULL;
}

/* Enlarge the hash table, of which at most three quarters are used. */
static bool make_room(AddressStream* stream)
{
   uint32_t n = stream->n_buckets == 0 ? 4096 : 2 * stream->n_buckets;

   if (n == 0)
      return job_fail(stream->s.job, DCFG_ERROR_LIMIT, NULL,
                      "too many instructions");
   free_buckets(stream);
   stream->n_buckets = 0;
   stream->buckets = job_calloc(stream->s.job, n, sizeof(*stream->buckets));
   if (stream->buckets == NULL)
      return false;
   stream->n_buckets = n;
   stream->hash = hash_key();
   for (uint32_t i = 0; i < stream->s.units.n; i++)
      *bucket_of(stream, unit(&stream->s, i)->addr, unit(&stream->s, i)->size)
         = i + 1;
   return true;
}

/* Return an instruction, which is added if it is new; DCFG_NONE after an
   error. */
static uint32_t instr_at(AddressStream* stream, uint64_t addr, uint32_t size)
{
   Job*      job = stream->s.job;
   uint32_t* bucket;
   Unit*     new;

   if (stream->s.units.n >= stream->n_buckets / 4 * 3 && !make_room(stream))
      return DCFG_NONE;
   bucket = bucket_of(stream, addr, size);
   if (*bucket != 0)
      return *bucket - 1;
   if (!stream_is_new(&stream->s))
      return DCFG_NONE;
   if (size == 0 || addr > UINT64_MAX - (size - 1)) {
      job_fail(job, DCFG_ERROR_FORMAT, NULL, size == 0
               ? "an instruction of no bytes"
               : "an instruction beyond the last address");
      return DCFG_NONE;
   }
   if (stream->s.units.n == UNIT_NONE) {
      job_fail(job, DCFG_ERROR_LIMIT, NULL, "too many instructions");
      return DCFG_NONE;
   }
   /* Allow more memory for new code, as for bytes read from a file. */
   job_read(job, 16, 16);
   new = array_add(job, &stream->s.units, sizeof(*new));
   if (new == NULL)
      return DCFG_NONE;
   *new = (Unit){ addr, size, UNIT_NONE };
   *bucket = (uint32_t)stream->s.units.n;
   return *bucket - 1;
}

/*--- The path through the code                            ---*/

bool address_step(AddressStream* stream, uint64_t addr, uint32_t size)
{
   Stream*  s = &stream->s;
   Standing here = s->here;
   uint32_t to = instr_at(stream, addr, size);

   if (to == DCFG_NONE)
      return false;
   stream->executed++;
   if (here.at == DCFG_NONE)
      return stream_begin(s, to);
   if (addr != 0 && unit_end(s, here.at) == addr
       && stream_straight(s, here.at, to)) {
      s->here.at = to;
      return true;
   }
   return stream_jump(s, here.from, here.at, to);
}

bool address_stop(AddressStream* stream)
{
   Standing here = stream->s.here;

   stream->s.here = NOWHERE;
   return stream_end(&stream->s, here);
}

bool address_switch(AddressStream* stream, uint32_t sequence)
{
   uint32_t most = sequence > stream->sequence ? sequence : stream->sequence;

   while (stream->others.n <= most) {
      Standing* new = array_add(stream->s.job, &stream->others, sizeof(*new));
      if (new == NULL)
         return false;
      *new = NOWHERE;
   }
   ELEM(stream->others, Standing, stream->sequence) = stream->s.here;
   stream->s.here = ELEM(stream->others, Standing, sequence);
   stream->sequence = sequence;
   return true;
}

bool address_stop_all(AddressStream* stream)
{
   bool ok = address_stop(stream);

   for (uint32_t i = 0; ok && i < stream->others.n; i++)
      ok = address_switch(stream, i) && address_stop(stream);
   return ok;
}

void address_free(AddressStream* stream)
{
   free_buckets(stream);
   array_free(stream->s.job, &stream->others, sizeof(Standing));
   stream_free(&stream->s);
}

/*--- Lackey's text                                        ---*/

/* Size of the buffer: Lackey has no longer lines.  The bytes behind it can be
   read together with the last ones. */
#define BUFFER (256U << 10)
#define BEHIND 32U

typedef
   struct {
      AddressStream* stream;
      uint64_t       line;      // number of the present line, from 1
      const uint8_t* start;     // begin of that line
      const uint8_t* buf;
      uint64_t       before;    // text before BUF, in bytes
   }
   Reader;

static inline unsigned digit(uint8_t c)
{
   unsigned letter = (c | 0x20u) - 'a';

   return (unsigned)c - '0' < 10 ? (unsigned)c - '0'
          : letter < 6 ? 10 + letter : 16;
}

static bool wrong(Reader* r, const char* what)
{
   char place[40];

   job_at(r->stream->s.job, r->before + (uint64_t)(r->start - r->buf));
   snprintf(place, sizeof(place), "line %" PRIu64, r->line);
   return job_fail(r->stream->s.job, DCFG_ERROR_FORMAT, place, "%s", what);
}

/* Fail at the present line: the stream refused an instruction. */
static bool refused(Reader* r)
{
   char place[40];

   snprintf(place, sizeof(place), "line %" PRIu64, r->line);
   job_place(r->stream->s.job, place);
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
      if (instr && !address_add(r->stream, addr, size))
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
   uint64_t before = r->stream->executed;

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
   if (r->stream->executed == before)
      return wrong(r, "the stream ends without an instruction");
   return true;
}

bool lackey_read(AddressStream* stream, Input* in)
{
   uint8_t* buf = job_calloc(stream->s.job, 1, BUFFER + BEHIND);
   Reader   r = { stream, 1, buf, buf, 0 };
   bool     ok = buf != NULL;

   if (ok) {
      input_be_patient(in);
      ok = read_all(&r, in, buf);
      job_free(stream->s.job, buf, BUFFER + BEHIND);
   }
   return ok;
}
