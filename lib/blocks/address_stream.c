/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A stream of instructions: what follows without a jump. */

/* Owns: the instructions that exist, and the syntax of lines of valgrind
   --tool=lackey --trace-mem=yes.  Handed: instructions in the order of
   execution by users, or Lackey's text by input.c.

   An instruction is an address and a size, and a unit of tally.c.  They are
   numbered as they were first executed.  So the next one is mostly the
   successor of the last one, and its number one more. */

#include "lib/base/input.h"
#include "lib/blocks/streams.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*--- Instructions                                         ---*/

static uint64_t hash_of(const DcfgBlocks* blocks, uint32_t i)
{
   return hash_word(&blocks->instr_at.hash, unit(blocks, i)->addr);
}

/* Return an instruction, which is added if it is new; DCFG_NONE after an
   error. */
static uint32_t instr_at(DcfgBlocks* blocks, uint64_t addr, uint32_t size)
{
   Buckets*  b = &blocks->instr_at;
   uint32_t  mask, i;
   Unit*     new;

   if (!has_room(b, blocks->units.n)
       && !stream_enlarge(blocks, b, blocks->units.n, hash_of,
                          "too many instructions"))
      return DCFG_NONE;
   mask = b->room - 1;
   i = (uint32_t)hash_word(&b->hash, addr) & mask;
   for (; b->at[i] != 0; i = (i + 1) & mask) {
      const Unit* u = unit(blocks, b->at[i] - 1);
      if (u->addr == addr && u->size == size)
         return b->at[i] - 1;
   }
   if (!stream_is_new(blocks))
      return DCFG_NONE;
   if (size == 0 || addr > UINT64_MAX - (size - 1)) {
      job_fail(&blocks->job, DCFG_ERROR_FORMAT, NULL, size == 0
               ? "an instruction of no bytes"
               : "an instruction beyond the last address");
      return DCFG_NONE;
   }
   if (blocks->units.n == UNIT_NONE) {
      job_fail(&blocks->job, DCFG_ERROR_LIMIT, NULL, "too many instructions");
      return DCFG_NONE;
   }
   /* Allow more memory for new code, as for bytes read from a file. */
   job_read(&blocks->job, 16, 16);
   new = array_add(&blocks->job, &blocks->units, sizeof(*new));
   if (new == NULL)
      return DCFG_NONE;
   *new = (Unit){ addr, size, UNIT_NONE };
   b->at[i] = (uint32_t)blocks->units.n;
   return b->at[i] - 1;
}

/* Do the unusual cases of add(). */
static bool step(DcfgBlocks* blocks, uint64_t addr, uint32_t size)
{
   Standing here = blocks->here;
   uint32_t to = instr_at(blocks, addr, size);

   if (to == DCFG_NONE)
      return false;
   blocks->executed++;
   if (here.at == DCFG_NONE)
      return stream_begin(blocks, to);
   if (addr != 0 && unit_end(blocks, here.at) == addr
       && stream_straight(blocks, here.at, to)) {
      blocks->here.at = to;
      return true;
   }
   return stream_jump(blocks, here.from, here.at, to);
}

/* Add the next instruction. */
static inline bool add(DcfgBlocks* blocks, uint64_t addr, uint32_t size)
{
   uint32_t at = blocks->here.at;
   uint32_t next = at == DCFG_NONE ? UNIT_NONE : unit(blocks, at)->next;

   if (next < UNIT_NONE && unit(blocks, next)->addr == addr
       && unit(blocks, next)->size == size) {
      blocks->executed++;
      blocks->here.at = next;
      return true;
   }
   return step(blocks, addr, size);
}

static bool stop(DcfgBlocks* blocks)
{
   Standing here = blocks->here;

   blocks->here = NOWHERE;
   return stream_end(blocks, here);
}

/*--- What users call                                      ---*/

static bool takes_instrs(DcfgBlocks* blocks)
{
   return stream_is_open(blocks)
          && (blocks->p == NULL
              || stream_argument(blocks, "instructions after a DCFG"));
}

bool dcfg_blocks_add(DcfgBlocks* blocks, uint64_t addr, uint32_t size,
                     DcfgError* err)
{
   return stream_told(blocks,
                      takes_instrs(blocks) && add(blocks, addr, size), err);
}

bool dcfg_blocks_sequence(DcfgBlocks* blocks, uint32_t number, DcfgError* err)
{
   uint32_t most = number > blocks->sequence ? number : blocks->sequence;
   bool     ok = takes_instrs(blocks)
                 && (!blocks->finished
                     || stream_argument(blocks, "the blocks are finished"));

   while (ok && blocks->waiting.n <= most) {
      Standing* new = array_add(&blocks->job, &blocks->waiting, sizeof(*new));
      ok = new != NULL;
      if (ok)
         *new = NOWHERE;
   }
   if (ok) {
      ELEM(blocks->waiting, Standing, blocks->sequence) = blocks->here;
      blocks->here = ELEM(blocks->waiting, Standing, number);
      ELEM(blocks->waiting, Standing, number) = NOWHERE;
      blocks->sequence = number;
   }
   return stream_told(blocks, ok, err);
}

bool dcfg_blocks_stop(DcfgBlocks* blocks, DcfgError* err)
{
   return stream_told(blocks, takes_instrs(blocks) && stop(blocks), err);
}

/*--- Lackey's text                                        ---*/

/* Size of the buffer: Lackey has no longer lines.  The bytes behind it can be
   read together with the last ones. */
#define BUFFER (256U << 10)
#define BEHIND 32U

typedef
   struct {
      DcfgBlocks*    blocks;
      uint64_t       line;      // number of the present line, from 1
      const uint8_t* start;     // begin of that line
      const uint8_t* buf;
      uint64_t       before;    // text before BUF, in bytes
   }
   Reader;

/* Fail at the present line with WHAT; NULL: the stream has refused an
   instruction. */
static bool wrong(Reader* r, const char* what)
{
   Job* job = &r->blocks->job;
   char place[40];

   snprintf(place, sizeof(place), "line %" PRIu64, r->line);
   if (what == NULL) {
      job_place(job, place);
      return false;
   }
   job_at(job, r->before + (uint64_t)(r->start - r->buf));
   return job_fail(job, DCFG_ERROR_FORMAT, place, "%s", what);
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

static inline bool is_usual_data(uint64_t text)
{
   return (text == THREE(' ', 'L', ' ')) | (text == THREE(' ', 'S', ' '))
          | (text == THREE(' ', 'M', ' '));
}

/* --- Any line                                             --- */

/* Read "ADDR,SIZE" and the newline.  Return the begin of the next line, or NULL
   with *WHY set. */
static const uint8_t* address(const uint8_t* p, uint64_t* addr,
                              uint32_t* size, const char** why)
{
   const char* s = (const char*)p;
   char*       end;
   uint64_t    n;

   errno = 0;
   *addr = strtoull(s, &end, 16);
   *why = !isxdigit(*p) || (p[1] | 0x20) == 'x' || *end != ','
          ? "not Lackey's: an address is not followed by a comma"
          : errno != 0 ? "an address of more than 64 bits" : NULL;
   if (*why != NULL)
      return NULL;
   s = end + 1;
   n = strtoull(s, &end, 10);
   *why = !isdigit((unsigned char)*s) || *end != '\n'
          ? "not Lackey's: a comma is not followed by a number alone"
          : n == 0 ? "a size of no bytes"
          : n > UINT32_MAX ? "a size of more than 32 bits" : NULL;
   *size = (uint32_t)n;
   return *why == NULL ? (const uint8_t*)end + 1 : NULL;
}

/* Read a line: an instruction; or, with *SIZE 0, a data access or a line of
   Valgrind.  Return as address() does. */
static const uint8_t* other_line(const uint8_t* p, uint64_t* addr,
                                 uint32_t* size, const char** why)
{
   bool instr = p[0] == 'I' && p[1] == ' ';

   if (p[0] == '=' && p[1] == '=') {
      *size = 0;
      while (*p != '\n')
         p++;
      return p + 1;
   }
   if (!instr && !is_usual_data(eight_chars(p) & 0xFFFFFF)) {
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
      uint64_t       text = eight_chars(p) & 0xFFFFFF, addr;
      uint32_t       size;
      bool           instr = text == THREE('I', ' ', ' ');
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
      if (instr && !add(r->blocks, addr, size))
         return wrong(r, NULL);
   }
   return true;
}

static bool read_all(Reader* r, Input* in, uint8_t* buf)
{
   size_t   have = 0, got;
   uint64_t before = r->blocks->executed;

   while (input_read(in, buf + have, BUFFER - have, &got)) {
      size_t used = have + got;
      if (got == 0)
         return have > 0
                ? wrong(r, "the stream ends in the middle of a line")
                : r->blocks->executed > before
                  || wrong(r, "the stream ends without an instruction");
      while (used > have && buf[used - 1] != '\n')
         used--;
      have += got;
      if (used > have - got) {
         if (!read_lines(r, buf, buf + used))
            return false;
         memmove(buf, buf + used, have - used);
         have -= used;
         r->before += used;
         r->start = buf;
      }
      if (have == BUFFER)
         return wrong(r, "not Lackey's: a line without an end");
   }
   return false;
}

bool dcfg_blocks_lackey(DcfgBlocks* blocks, const char* path, DcfgError* err)
{
   Input*   in = takes_instrs(blocks) ? input_open(&blocks->job, path) : NULL;
   uint8_t* buf = in == NULL ? NULL
                  : job_calloc(&blocks->job, 1, BUFFER + BEHIND);
   Reader   r = { blocks, 1, buf, buf, 0 };
   bool     ok = buf != NULL;

   if (ok) {
      input_be_patient(in);
      ok = read_all(&r, in, buf) && stop(blocks);
      job_free(&blocks->job, buf, BUFFER + BEHIND);
   }
   input_close(in);
   return stream_told(blocks, ok, err);
}
