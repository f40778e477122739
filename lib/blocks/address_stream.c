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

/* Size of the buffer: Lackey has no longer lines. */
#define BUFFER (256U << 10)

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

/* Read the digits of a number at P.  Return their end. */
static inline const uint8_t* number(const uint8_t* p, uint32_t base,
                                    uint64_t* n, bool* fits)
{
   *n = 0;
   for (*fits = true; true; p++) {
      uint32_t d = *p - (uint32_t)'0';
      if (d > 9) {
         d = (*p | 0x20u) - 'a' + 10;
         if (d < 10 || d >= base)
            return p;
      }
      *fits = *fits && !__builtin_mul_overflow(*n, base, n)
              && !__builtin_add_overflow(*n, d, n);
   }
}

/* Read "ADDR,SIZE" and the newline.  Return the begin of the next line, or NULL
   with *WHY set. */
static inline const uint8_t* address(const uint8_t* p, uint64_t* addr,
                                     uint32_t* size, const char** why)
{
   bool           fits, small;
   uint64_t       n;
   const uint8_t* comma = number(p, 16, addr, &fits);
   const uint8_t* end;

   *why = comma == p || *comma != ','
          ? "not Lackey's: an address is not followed by a comma"
          : !fits ? "an address of more than 64 bits" : NULL;
   if (*why != NULL)
      return NULL;
   end = number(comma + 1, 10, &n, &small);
   *why = end == comma + 1 || *end != '\n'
          ? "not Lackey's: a comma is not followed by a number alone"
          : n == 0 ? "a size of no bytes"
          : !small || n > UINT32_MAX ? "a size of more than 32 bits" : NULL;
   *size = (uint32_t)n;
   return *why == NULL ? end + 1 : NULL;
}

/* Read a line: an instruction; or, with *SIZE 0, a data access or a line of
   Valgrind.  Return as address() does. */
static inline const uint8_t* read_line(const uint8_t* p, uint64_t* addr,
                                       uint32_t* size, const char** why)
{
   bool instr = p[0] == 'I' && p[1] == ' ';

   if (p[0] == '=' && p[1] == '=') {
      *size = 0;
      while (*p != '\n')
         p++;
      return p + 1;
   }
   if (!instr && (p[0] != ' ' || p[2] != ' '
                  || (p[1] != 'L' && p[1] != 'S' && p[1] != 'M'))) {
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
      uint64_t addr;
      uint32_t size;
      r->start = p;
      p = read_line(p, &addr, &size, &why);
      if (p == NULL || (size > 0 && !add(r->blocks, addr, size)))
         return wrong(r, why);
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
                  : job_calloc(&blocks->job, 1, BUFFER);
   Reader   r = { blocks, 1, buf, buf, 0 };
   bool     ok = buf != NULL;

   if (ok) {
      input_be_patient(in);
      ok = read_all(&r, in, buf) && stop(blocks);
      job_free(&blocks->job, buf, BUFFER);
   }
   input_close(in);
   return stream_told(blocks, ok, err);
}
