/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The bytes of memory at a time. */

/* Owns: the bytes of memory at any time, and the bytes that instructions load
   soon after it.  Handed: chunks by cursor_chunks.c, words by the index, unseen
   writes by cursor_changes.c.

   A search goes backward from the time to the last writer of each byte.  The
   index says which chunks wrote to a word, and which values most words had at the
   end of a chunk, so few chunks are decoded.

   A debugger asks for the same words at each step: the frames of the call stack,
   variables that it displays.  Some were written long before, so each search
   would go far back.  An answer for a time holds back to the last write.  For a
   later time of the same chunk, only what was written since then is searched. */

#include "lib/cursor/cursor_parts.h"
#include "format/wet_process.h"

#include <string.h>

/* MemorySearch: a search for the .size bytes at .addr: backward for their last
   writers, forward for their first loads. */
typedef
   struct {
      DcfgCursor* r;
      uint64_t    addr;
      uint32_t    size;
      uint32_t    left;         // number of bytes not found yet
      uint32_t    moves;        // depth of take_moved()'s recursion
      bool*       found;        // by byte
      bool*       told;         // by byte: the index told it; NULL: the index's
                                // words do not count
      DcfgCursorByte* bytes;
   }
   MemorySearch;

/* Set *LOW and *HIGH to the part of F's bytes, from *LOW up to *HIGH, that is
   among the SIZE bytes at ADDR.  Return false if there is none. */
static inline bool common(const MemorySearch* f, uint64_t addr, uint64_t size,
                          uint32_t* low, uint32_t* high)
{
   if (!overlaps(addr, size, f->addr, f->size))
      return false;
   *low  = addr - f->addr < f->size ? (uint32_t)(addr - f->addr) : 0;
   *high = addr + size - f->addr < f->size
           ? (uint32_t)(addr + size - f->addr) : f->size;
   return *low < *high;
}

/* Byte I of F is B, unless a later writer has been found. */
static inline void take(MemorySearch* f, uint32_t i, DcfgCursorByte b)
{
   if (f->found[i])
      return;
   f->found[i] = true;
   f->bytes[i] = b;
   f->left--;
}

/* Set *WORD to the number of the word of memory with the first byte from byte *I
   of F on that F still looks for, and *I to the byte behind that word.  Return
   false if there is none. */
static inline bool next_word(const MemorySearch* f, uint32_t* i, uint64_t* word)
{
   while (*i < f->size && f->found[*i])
      ++*i;
   if (*i >= f->size)
      return false;
   *word = (f->addr + *i) >> 3;
   *i   += 8 - (f->addr + *i) % 8;
   return true;
}

/*--- Last writers                                         ---*/

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
   ByteReader      b = cursor_bytes(c, s);

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
   uint32_t         j = f->r->w->loads == NULL
                        || !f->r->w->loads[at->instr] ? UINT32_MAX
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
                     | (f->r->w->loads == NULL ? 0 : DCFG_CURSOR_LOAD);

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

/* Set *FOUND to the last chunk before NUMBER that may have written to the
   8-byte word of memory with number WORD.  Return false if there is none. */
static bool wrote_before(DcfgCursor* r, uint32_t number, uint64_t word,
                         uint32_t* found)
{
   Remembered* m = &r->words[(word ^ word >> 15) % N_REMEMBERED];
   uint32_t    end = 0, at = number;

   /* If .chunk is later than NUMBER, its answer holds for NUMBER, too, unless
      NUMBER is before the chunk that was found.  If .chunk is earlier, search
      only the chunks from .chunk to NUMBER. */
   if (m->word == word + 1 && m->chunk >= number && m->found <= number)
      at = m->found;
   else {
      if (m->word == word + 1 && m->chunk < number)
         end = m->chunk;
      while (at > end && !index_wrote(r->ix, at - 1, word))
         at--;
      if (at == end && end > 0)
         at = m->found;
   }
   *m = (Remembered){ word + 1, number, at };
   *found = at - 1;
   return at != 0;
}

/* Set *FOUND to the last chunk before NUMBER that may have written a byte that
   F still looks for.  Return false if there is none. */
static bool chunk_before(MemorySearch* f, uint32_t number, uint32_t* found)
{
   uint64_t word;
   uint32_t there;
   bool     any = false;

   for (uint32_t i = 0; next_word(f, &i, &word); )
      if (wrote_before(f->r, number, word, &there)
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
             || !wrote_before(f->r, number + 1, word, &there)
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

/* Set BYTES, with SIZE elements, to the SIZE bytes of memory at ADDR at time T.
   Set TOLD to whether words of the index told a byte; if TOLD is NULL, do not use
   them.  Return false after an error. */
static bool memory_at(DcfgCursor* r, uint64_t t, uint64_t addr, uint32_t size,
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

/* Set those of BYTES that were written between times SINCE and T, which are in
   one chunk; their TOLD becomes false.  Return false after an error. */
static bool memory_since(DcfgCursor* r, uint64_t since, uint64_t t,
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

/*--- Loads                                                ---*/

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

/* Set *AGREE to whether those of BYTES that the index TOLD are what instructions
   load there, soon after time T.  COPIES is as for dcfg_cursor_memory().  Return
   false after an error. */
static bool memory_agrees(DcfgCursor* r, uint64_t t, uint64_t addr,
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

/*--- Memory that was asked for lately                     ---*/

static RecentWord* recent_word(DcfgCursor* r, uint64_t word)
{
   return &r->recent[word % N_RECENT];
}

/* Return the first time from which the answer of W holds. */
static uint64_t holds_from(const RecentWord* w)
{
   uint64_t since = 0;

   for (unsigned k = 0; k < 8; k++)
      if (w->bytes[k].since > since)
         since = w->bytes[k].since;
   return since;
}

/* Return whether times A and B, A first, are in one chunk. */
static bool in_one_chunk(const DcfgCursor* r, uint64_t a, uint64_t b)
{
   uint32_t chunk = cursor_chunk_of(r, a);

   return chunk < r->ix->n_chunks
          && b < r->ix->chunks[chunk].before + r->ix->chunks[chunk].n_instrs;
}

/* Set BYTES and TOLD to the latest answers for the SIZE bytes at ADDR.  Set
   *SINCE to the time up to which all of them hold, if that is before T, else to
   T.  Return false if an answer is missing, or is of no use for T. */
static bool take_recent(DcfgCursor* r, uint64_t t, uint64_t addr,
                        uint32_t size, DcfgCursorByte* bytes, bool* told,
                        uint64_t* since)
{
   const RecentWord* w = NULL;

   *since = t;
   for (uint32_t i = 0; i < size; i++) {
      uint64_t word = (addr + i) >> 3;
      if (w == NULL || w->word != word + 1) {
         w = recent_word(r, word);
         if (w->word != word + 1 || holds_from(w) > t)
            return false;
         if (w->time < *since)
            *since = w->time;
      }
      bytes[i] = w->bytes[(addr + i) % 8];
      told[i]  = w->told >> (addr + i) % 8 & 1;
   }
   return *since == t || in_one_chunk(r, *since, t);
}

/* Keep the whole words among the SIZE bytes at ADDR, which are BYTES at time T, as
   the index TOLD. */
static void note_recent(DcfgCursor* r, uint64_t t, uint64_t addr, uint32_t size,
                        const DcfgCursorByte* bytes, const bool* told)
{
   for (uint32_t i = (uint32_t)(-addr % 8); i + 8 <= size; i += 8) {
      RecentWord* w = recent_word(r, (addr + i) >> 3);
      w->word = ((addr + i) >> 3) + 1;
      w->time = t;
      w->told = 0;
      for (unsigned k = 0; k < 8; k++)
         w->told |= (uint8_t)(told[i + k] << k);
      memcpy(w->bytes, bytes + i, sizeof(w->bytes));
   }
}

/* Set BYTES as dcfg_cursor_memory() does, but for unseen writes. */
static bool find_bytes(DcfgCursor* r, uint64_t t, uint64_t addr, uint32_t size,
                       const bool* copies, DcfgCursorByte* bytes)
{
   bool     told[DCFG_CURSOR_MOST] = { false }, agree;
   uint64_t since;

   if (take_recent(r, t, addr, size, bytes, told, &since)) {
      if (since == t)
         return true;
      if (!memory_since(r, since, t, addr, size, bytes, told))
         return false;
   } else if (!memory_at(r, t, addr, size, bytes, told)) {
      return false;
   }
   if (!memory_agrees(r, t, addr, size, copies, bytes, told, &agree))
      return false;
   if (!agree) {
      memset(told, 0, sizeof(told));
      if (!memory_at(r, t, addr, size, bytes, NULL))
         return false;
   }
   note_recent(r, t, addr, size, bytes, told);
   return true;
}

bool dcfg_cursor_memory(DcfgCursor* r, uint64_t t, uint64_t addr,
                        uint32_t size, const bool* copies,
                        DcfgCursorByte* bytes)
{
   if (size > DCFG_CURSOR_MOST
       || !find_bytes(r, t, addr, size, copies, bytes))
      return false;
   cursor_unseen(r, t, addr, size, bytes);
   return true;
}
