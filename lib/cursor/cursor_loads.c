/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Bytes of memory that instructions load after a time. */

/* Owns: the first loads of bytes after a time.  Handed: chunks by
   cursor_chunks.c. */

#include "lib/cursor/cursor_memory.h"

#include <string.h>

/* LoadSearch: a search, forward, for the first loads of bytes.  .m.found has
   the bytes that were loaded, or overwritten before. */
typedef
   struct {
      MemorySearch m;
      const bool*  copies;
   }
   LoadSearch;

/* Look no more for the SIZE bytes at ADDR, which were overwritten. */
static void close_bytes(MemorySearch* f, uint64_t addr, uint64_t size)
{
   uint32_t low, high;

   if (common(f, addr, size, &low, &high))
      for (uint32_t i = low; i < high; i++) {
         f->left    -= !f->found[i];
         f->found[i] = true;
      }
}

/* Take the bytes that an instance, with plan AT, loads; then close those that
   it stores. */
static void meet_instance(LoadSearch* f, const KeptChunk* c, const WetStep* s,
                          const InstrPlan* at)
{
   MemorySearch*    m = &f->m;
   DcfgCursorAccess a;
   uint8_t          value[MOST_VALUE];
   uint32_t         n_loads = 0, low, high;

   for (uint32_t j = 0; j < at->n_slots; j++)
      n_loads += cursor_access(m->r, c, s, at, j, &a)
                 && (a.kind & DCFG_CURSOR_LOAD);
   for (uint32_t j = 0; j < at->n_slots && n_loads == 1; j++)
      if (cursor_access(m->r, c, s, at, j, &a) && a.kind == DCFG_CURSOR_LOAD
          && f->copies[at->instr]
          && common(m, a.addr, a.size, &low, &high)) {
         uint32_t size = cursor_value(m->r, c, s, at, value);
         for (uint32_t i = low; i < high; i++) {
            uint64_t from = m->addr + i - a.addr;
            if (!m->found[i] && from < size)
               take(m, i, (DcfgCursorByte){ m->bytes[i].since,
                                            DCFG_CURSOR_KNOWN, value[from] });
         }
      }
   for (uint32_t j = 0; j < at->n_slots; j++)
      if (cursor_access(m->r, c, s, at, j, &a) && (a.kind & DCFG_CURSOR_STORE))
         close_bytes(m, a.addr, a.size);
}

/* Search forward from place P on for loads of F's bytes, in at most MOST steps of
   the chunk.  Return false after an error. */
static bool load_bytes(LoadSearch* f, CursorPlace p, size_t most)
{
   MemorySearch*    m = &f->m;
   const KeptChunk* c = cursor_chunk(m->r, p.chunk);
   size_t           end;

   if (c == NULL)
      return false;
   end = c->steps.n_steps - p.step < most ? c->steps.n_steps : p.step + most;
   for (size_t i = p.step; i < end && m->left > 0; i++, p.place = 0) {
      const WetStep*  s = &c->steps.steps[i];
      const uint64_t* words = c->steps.addrs + s->first;
      if (i % FILTER_STEPS == 0
          && !filter_has(&c->filters[i / FILTER_STEPS], m->addr, m->size,
                         DCFG_CURSOR_LOAD | DCFG_CURSOR_STORE)) {
         i += FILTER_STEPS - 1;
         continue;
      }
      if (s->sb == 0) {
         if (cursor_mark_writes(s))
            close_bytes(m, words[0], words[1]);
         continue;
      }
      for (uint32_t k = p.place; k < s->n_instrs; k++)
         if (cursor_place(m->r, s, k)->n_slots > 0)
            meet_instance(f, c, s, cursor_place(m->r, s, k));
   }
   return true;
}

/* Close the bytes of F that no instruction of chunk NUMBER loads from time T on:
   the cache has them, or the chunk told nothing new of their words. */
static void close_quiet(MemorySearch* f, uint32_t number, uint64_t t)
{
   bool     told = f->r->ix->chunks[number].flags & INDEX_LOADS;
   uint64_t word;

   for (uint32_t i = 0; next_word(f, &i, &word); ) {
      const QuietWord* q = &f->r->quiet[word % N_QUIET];
      bool             here = q->word == word + 1 && q->chunk == number
                              && q->time <= t;
      uint8_t          bytes = told && !cursor_wrote(f->r, number, word << 3, 8)
                               ? 0xFF : here ? q->bytes : 0;
      for (unsigned b = 0; b < 8; b++)
         if (bytes >> b & 1)
            close_bytes(f, (word << 3) + b, 1);
   }
}

/* Enter the bytes that F has not found into the cache: chunk NUMBER was searched
   from time T on. */
static void note_quiet(const MemorySearch* f, uint32_t number, uint64_t t)
{
   for (uint32_t i = 0; i < f->size; i++) {
      uint64_t   word = (f->addr + i) >> 3;
      QuietWord* q = &f->r->quiet[word % N_QUIET];
      if (f->found[i])
         continue;
      if (q->word != word + 1 || q->chunk != number || q->time != t)
         *q = (QuietWord){ word + 1, t, number, 0 };
      q->bytes |= (uint8_t)(1u << (f->addr + i) % 8);
   }
}

bool dcfg_cursor_loaded(DcfgCursor* r, uint64_t t, uint64_t addr,
                        uint32_t size, const bool* copies,
                        DcfgCursorByte* bytes)
{
   bool        found[DCFG_CURSOR_MOST] = { false };
   LoadSearch  f = { { r, addr, size, 0, 0, found, NULL, bytes }, copies };
   CursorPlace p;

   if (size > DCFG_CURSOR_MOST || r->ix->n_chunks == 0
       || !cursor_position(r, t, &p))
      return size <= DCFG_CURSOR_MOST && r->ix->n_chunks == 0;
   for (uint32_t i = 0; i < size; i++) {
      found[i]  = bytes[i].is != DCFG_CURSOR_UNKNOWN
                  && bytes[i].is != DCFG_CURSOR_NEVER;
      f.m.left += !found[i];
   }
   if (p.chunk < r->ix->n_chunks)
      close_quiet(&f.m, p.chunk, t);
   if (f.m.left == 0)
      return true;
   if (!load_bytes(&f, p, SIZE_MAX))
      return false;
   note_quiet(&f.m, p.chunk, t);
   return true;
}

/* Steps in which loads are compared with what the index told. */
#define MOST_COMPARED 2048u

bool cursor_memory_agrees(DcfgCursor* r, uint64_t t, uint64_t addr,
                          uint32_t size, const bool* copies,
                          const DcfgCursorByte* bytes, const bool* told,
                          bool* agree)
{
   bool           found[DCFG_CURSOR_MOST] = { false };
   DcfgCursorByte loaded[DCFG_CURSOR_MOST];
   LoadSearch     f = { { r, addr, size, 0, 0, found, NULL, loaded }, copies };
   CursorPlace    p;

   *agree = true;
   for (uint32_t i = 0; i < size; i++) {
      loaded[i] = (DcfgCursorByte){ .is = DCFG_CURSOR_UNKNOWN };
      found[i]  = !told[i];
      f.m.left += told[i];
   }
   if (f.m.left == 0)
      return true;
   if (!cursor_position(r, t, &p) || !load_bytes(&f, p, MOST_COMPARED))
      return false;
   for (uint32_t i = 0; i < size; i++)
      *agree &= loaded[i].is != DCFG_CURSOR_KNOWN
                || bytes[i].is != DCFG_CURSOR_KNOWN
                || loaded[i].value == bytes[i].value;
   return true;
}
