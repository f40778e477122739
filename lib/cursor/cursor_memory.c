/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The contents of memory at any time. */

/* Owns: the bytes of memory at any time.  Handed: chunks by cursor_chunks.c. */

#include "lib/cursor/cursor_memory.h"
#include "format/wet_process.h"

#include <string.h>

/*--- Memory                                               ---*/

#define MOST_MOVES 64u

static bool memory_before(DcfgCursor* r, CursorPlace p, uint32_t moves,
                          uint64_t addr, uint32_t size, DcfgCursorByte* bytes,
                          bool* told);

/* Follow the bytes that a MarkMoved with WORDS moved, to the address where they
   were before place P.  The mark stands before time T. */
static bool take_moved(MemorySearch* f, const uint64_t* words, CursorPlace p,
                       uint64_t t)
{
   uint64_t       at = words[0], size = words[1], from = words[2];
   uint32_t       low, high;
   DcfgCursorByte there[DCFG_CURSOR_MOST];
   bool           told[DCFG_CURSOR_MOST] = { false };

   if (!common(f, at, size, &low, &high))
      return true;
   if (f->moves == MOST_MOVES)
      return job_fail(&f->r->job, DCFG_ERROR_LIMIT, "tape",
                      "memory is moved too often");
   if (!memory_before(f->r, p, f->moves + 1, from + (f->addr + low - at),
                      high - low, there, f->told == NULL ? NULL : told))
      return false;
   for (uint32_t i = low; i < high; i++) {
      if (f->told != NULL && !f->found[i])
         f->told[i] = told[i - low];
      take(f, i, (DcfgCursorByte){ t, there[i - low].is,
                                   there[i - low].value });
   }
   return true;
}

static void take_contents(MemorySearch* f, const KeptChunk* c,
                          const uint64_t* words, uint64_t t)
{
   uint32_t low, high;

   if (words[MARK_N_BYTES] < words[1]
       || !common(f, words[0], words[1], &low, &high))
      return;
   for (uint32_t i = low; i < high; i++)
      take(f, i, (DcfgCursorByte){ t, DCFG_CURSOR_KNOWN,
                 c->steps.bytes[words[MARK_BYTES_AT]
                                + (f->addr + i - words[0])] });
}

/* Take the bytes of a MarkMapped: new memory is zero, or a file's contents;
   unmapped memory has no value. */
static void take_mapped(MemorySearch* f, const KeptChunk* c,
                        const WetStep* s, uint64_t t)
{
   const uint64_t* words = c->steps.addrs + s->first;
   uint32_t        low, high, how;
   Bytes           b = cursor_bytes(c, s);

   if (b.at == b.end
       || !common(f, words[0], words[1], &low, &high))
      return;
   how = get_up_to(&b, MappedAll);
   if (b.failed || ((how & MappedThere) && !(how & MappedNew)))
      return;
   for (uint32_t i = low; i < high; i++)
      take(f, i, (DcfgCursorByte){ t,
                 !(how & MappedThere) ? DCFG_CURSOR_UNKNOWN
                 : how & (MappedFile | MappedShared) ? DCFG_CURSOR_FRESH
                 : DCFG_CURSOR_KNOWN, 0 });
}

/* Take the bytes that mark S changed before time T; P is the mark's place.
   Return false after an error. */
static bool take_mark(MemorySearch* f, const KeptChunk* c, const WetStep* s,
                      CursorPlace p, uint64_t t)
{
   const uint64_t* words = c->steps.addrs + s->first;
   uint32_t        low, high;

   if (s->mark == MarkMoved) {
      uint64_t copy[3] = { words[0], words[1], words[2] };
      return take_moved(f, copy, p, t);
   }
   if (s->mark == MarkContents)
      take_contents(f, c, words, t);
   if (s->mark == MarkMapped)
      take_mapped(f, c, s, t);
   if ((s->mark != MarkWritten && s->mark != MarkFresh)
       || !common(f, words[0], words[1], &low, &high))
      return true;
   for (uint32_t i = low; i < high; i++)
      take(f, i, (DcfgCursorByte){ t, s->mark == MarkFresh ? DCFG_CURSOR_FRESH
                                      : DCFG_CURSOR_UNKNOWN, 0 });
   return true;
}

/* Take the bytes that the instance at time T, with plan AT, stores. */
static void take_stores(MemorySearch* f, const KeptChunk* c, const WetStep* s,
                        const InstrPlan* at, uint64_t t)
{
   MemoryStores stores;
   MemoryStore  m;
   uint32_t     low, high;
   bool         some = false, known;
   uint8_t      value[MOST_VALUE];

   if (!stores_of(cursor_slots(f->r, s), c->steps.addrs + s->first,
                  s->n_slots, at, &stores))
      return;
   for (StoreAt i = { 0, 0 }; !some && next_store(&stores, &i, true, &m); )
      some = m.made && common(f, m.addr, m.size, &low, &high);
   if (!some)
      return;
   known = cursor_value(f->r, c, s, at, value) == stores.size;
   for (StoreAt k = { 0, 0 }; next_store(&stores, &k, true, &m); ) {
      if (!m.made || !common(f, m.addr, m.size, &low, &high))
         continue;
      for (uint32_t i = low; i < high; i++)
         take(f, i, (DcfgCursorByte){ t + 1, known ? DCFG_CURSOR_KNOWN
                                             : DCFG_CURSOR_UNKNOWN,
                                      known ? value[m.begin
                                                    + (f->addr + i - m.addr)]
                                      : 0 });
   }
}

/* Take the bytes that the instance at time T, with plan AT, loads. */
static void take_load(MemorySearch* f, const KeptChunk* c, const WetStep* s,
                      const InstrPlan* at, uint64_t t)
{
   const uint64_t*  slots = c->steps.addrs + s->first;
   const WetAccess* accesses = cursor_slots(f->r, s);
   uint32_t         j = f->r->of->loads == NULL
                        || !f->r->of->loads[at->instr] ? UINT32_MAX
                        : load_of(accesses, slots, s->n_slots, at);
   uint32_t         low, high, size;
   uint8_t          value[MOST_VALUE];

   if (j == UINT32_MAX
       || !common(f, slots[j], accesses[j].size, &low, &high))
      return;
   size = cursor_value(f->r, c, s, at, value);
   for (uint32_t i = low; i < high && f->addr + i - slots[j] < size; i++)
      take(f, i, (DcfgCursorByte){ t + 1, DCFG_CURSOR_KNOWN,
                                   value[f->addr + i - slots[j]] });
}

/* Search the chunk of place P backward from P to its step FIRST.  Return false
   after an error. */
static bool take_chunk(MemorySearch* f, CursorPlace p, size_t first)
{
   KeptChunk* c = cursor_chunk(f->r, p.chunk);
   uint64_t   before = f->r->ix->chunks[p.chunk].before;
   uint32_t   kind = DCFG_CURSOR_STORE
                     | (f->r->of->loads == NULL ? 0 : DCFG_CURSOR_LOAD);

   if (c == NULL)
      return false;
   for (size_t i = p.step + (p.place > 0); i-- > first && f->left > 0; ) {
      const WetStep* s = &c->steps.steps[i];
      uint32_t n = i == p.step && p.place > 0 ? p.place : s->n_instrs;
      if (i % FILTER_STEPS == FILTER_STEPS - 1
          && !filter_has(&c->filters[i / FILTER_STEPS], f->addr, f->size,
                         kind)) {
         i -= FILTER_STEPS - 1;
         continue;
      }
      if (s->sb != 0) {
         for (uint32_t k = n; k-- > 0; ) {
            const InstrPlan* at = cursor_place(f->r, s, k);
            if (at->n_slots == 0)
               continue;
            take_stores(f, c, s, at, before + c->times[i] + k);
            take_load(f, c, s, at, before + c->times[i] + k);
         }
         continue;
      }
      if (!take_mark(f, c, s, (CursorPlace){ p.chunk, i, 0 },
                     before + c->times[i]))
         return false;
      /* take_moved() may have decoded other chunks in place of this one. */
      c = cursor_chunk(f->r, p.chunk);
      if (c == NULL)
         return false;
   }
   return true;
}

/* Set *FOUND to the last chunk before NUMBER that may have written a byte that
   F still looks for.  Return false if there is none. */
static bool chunk_before(MemorySearch* f, uint32_t number, uint32_t* found)
{
   uint64_t word;
   uint32_t there;
   bool     any = false;

   for (uint32_t i = 0; next_word(f, &i, &word); )
      if (cursor_wrote_before(f->r, number, word, &there)
          && (!any || there > *found)) {
         *found = there;
         any    = true;
      }
   return any;
}

/* Return the cache's entry for a word, which other words and chunks share. */
static KnownWord* known_word(const DcfgCursor* r, uint32_t chunk,
                             uint64_t word)
{
   return &r->known_words[(word ^ word >> 14 ^ chunk * 0x9E5u)
                          % N_KNOWN_WORDS];
}

/* Enter the whole words of F into the cache, after all of chunk NUMBER has been
   searched for them.  BEFORE has the bytes that had been found earlier. */
static void note_known(const MemorySearch* f, uint32_t number,
                       const bool* before)
{
   for (uint32_t i = (uint32_t)(-f->addr % 8); i + 8 <= f->size; i += 8) {
      uint64_t   word = (f->addr + i) >> 3;
      KnownWord* k = known_word(f->r, number, word);
      *k = (KnownWord){ .word = word + 1, .chunk = number };
      for (unsigned b = 0; b < 8; b++) {
         k->bytes[b] = f->bytes[i + b];
         k->found   |= (uint8_t)(f->found[i + b] << b);
         /* A later chunk wrote this byte, or the index told it. */
         if (before[i + b] || (f->told != NULL && f->told[i + b]))
            k->word = 0;
      }
   }
}

/* Take the bytes of word number WORD that chunk NUMBER wrote last, from the
   cache.  Return false if the cache does not have the word. */
static bool take_known(MemorySearch* f, uint32_t number, uint64_t word)
{
   const KnownWord* k = known_word(f->r, number, word);

   if (k->word != word + 1 || k->chunk != number)
      return false;
   for (uint32_t b = 0; b < 8; b++) {
      uint32_t i = (uint32_t)((word << 3) + b - f->addr);
      if (i < f->size && (k->found >> b & 1))
         take(f, i, k->bytes[b]);
   }
   return true;
}

/* Take the bytes of word number WORD, as chunk NUMBER left it, from the index.
   Return false if only the chunk itself tells. */
static bool take_word(MemorySearch* f, uint32_t number, uint64_t word)
{
   const IndexChunk* c = &f->r->ix->chunks[number];
   IndexWord         is;
   bool              all = true;
   uint64_t          t = c->before + c->n_instrs;

   if (f->told == NULL || !index_word(f->r->ix, number, word, &is))
      return false;
   for (uint32_t k = 0; k < 8; k++) {
      uint32_t i = (uint32_t)((word << 3) + k - f->addr);
      if (i >= f->size || f->found[i])
         continue;
      f->told[i] = is.is[k] != BYTE_LOOK && is.is[k] != BYTE_ASK;
      if (is.is[k] == BYTE_KNOWN)
         take(f, i, (DcfgCursorByte){ t, DCFG_CURSOR_KNOWN, is.bytes[k] });
      else if (is.is[k] == BYTE_UNKNOWN || is.is[k] == BYTE_FRESH)
         take(f, i, (DcfgCursorByte){ t, is.is[k] == BYTE_FRESH
                                         ? DCFG_CURSOR_FRESH
                                         : DCFG_CURSOR_UNKNOWN, 0 });
      else if (is.is[k] == BYTE_NEVER)
         take(f, i, (DcfgCursorByte){ .is = DCFG_CURSOR_NEVER });
      all &= is.is[k] != BYTE_ASK;
   }
   return all;
}

/* Take the bytes that chunk NUMBER wrote last, of words that the cache or the
   index has.  Return false if the chunk may have written others. */
static bool take_words(MemorySearch* f, uint32_t number)
{
   uint64_t word;
   uint32_t there;
   bool     all = true;

   for (uint32_t i = 0; next_word(f, &i, &word); )
      all &= take_known(f, number, word)
             || !cursor_wrote_before(f->r, number + 1, word, &there)
             || there != number || take_word(f, number, word);
   return all;
}

/* Take the bytes that chunk NUMBER wrote last.  Return false after an error. */
static bool take_earlier(MemorySearch* f, uint32_t number)
{
   bool       before[DCFG_CURSOR_MOST];
   KeptChunk* c;

   /* Earlier chunks wrote the other bytes. */
   if (take_words(f, number))
      return true;
   memcpy(before, f->found, f->size * sizeof(*before));
   c = cursor_chunk(f->r, number);
   if (c == NULL
       || !take_chunk(f, (CursorPlace){ number, c->steps.n_steps, 0 }, 0))
      return false;
   note_known(f, number, before);
   return true;
}

/* Set BYTES to the SIZE bytes at ADDR at place P; MOVES is the depth of the
   recursion.  Set TOLD, which is all false, to whether words of the index told a
   byte; if TOLD is NULL, do not use them.  Return false after an error. */
static bool memory_before(DcfgCursor* r, CursorPlace p, uint32_t moves,
                          uint64_t addr, uint32_t size, DcfgCursorByte* bytes,
                          bool* told)
{
   bool         found[DCFG_CURSOR_MOST] = { false };
   MemorySearch f = { r, addr, size, size, moves, found, told, bytes };
   uint32_t     at = p.chunk;

   memset(bytes, 0, size * sizeof(*bytes));
   if (!take_chunk(&f, p, 0))
      return false;
   while (f.left > 0 && chunk_before(&f, at, &at))
      if (!take_earlier(&f, at))
         return false;
   return true;
}

bool cursor_memory_at(DcfgCursor* r, uint64_t t, uint64_t addr, uint32_t size,
                      DcfgCursorByte* bytes, bool* told)
{
   CursorPlace p;

   if (told != NULL)
      memset(told, 0, size * sizeof(*told));
   if (r->ix->n_chunks == 0) {
      memset(bytes, 0, size * sizeof(*bytes));
      return true;
   }
   return cursor_position(r, t, &p)
          && memory_before(r, p, 0, addr, size, bytes, told);
}

bool cursor_memory_since(DcfgCursor* r, uint64_t since, uint64_t t,
                         uint64_t addr, uint32_t size, DcfgCursorByte* bytes,
                         bool* told)
{
   bool         found[DCFG_CURSOR_MOST] = { false };
   MemorySearch f = { r, addr, size, size, 0, found, NULL, bytes };
   CursorPlace  first, p;

   if (!cursor_position(r, since, &first) || !cursor_position(r, t, &p)
       || !take_chunk(&f, p, first.step))
      return false;
   for (uint32_t i = 0; i < size; i++)
      told[i] &= !found[i];
   return true;
}
