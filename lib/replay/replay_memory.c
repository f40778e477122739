/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The contents of memory at any time. */

/* Owns: the bytes of memory at any time.  Handed: chunks by replay_chunks.c.
   Taken by: users. */

#include "lib/replay/replay_chunks.h"
#include "format/wet_process.h"

#include <string.h>

/*--- Memory                                               ---*/

/* MemorySearch: a search, backward, for the last writers of .size bytes at
   .addr. */
typedef
   struct {
      DcfgReplay* r;
      uint64_t    addr;
      uint32_t    size;
      uint32_t    left;         // number of bytes not found yet
      uint32_t    moves;        // depth of take_moved()'s recursion
      bool*       found;        // by byte
      DcfgReplayByte* bytes;
   }
   MemorySearch;

#define MOST_MOVES 64u

static bool memory_before(DcfgReplay* r, ReplayPlace p, uint32_t moves,
                          uint64_t addr, uint32_t size, DcfgReplayByte* bytes);

/* Set *LOW and *HIGH to the part of F's bytes, from *LOW up to *HIGH, that is
   among the SIZE bytes at ADDR.  Return false if there is none. */
static bool common(const MemorySearch* f, uint64_t addr, uint64_t size,
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
static void take(MemorySearch* f, uint32_t i, DcfgReplayByte b)
{
   if (f->found[i])
      return;
   f->found[i] = true;
   f->bytes[i] = b;
   f->left--;
}

/* Follow the bytes that a MarkMoved with WORDS moved, to the address where they
   were before place P.  The mark stands before time T. */
static bool take_moved(MemorySearch* f, const uint64_t* words, ReplayPlace p,
                       uint64_t t)
{
   uint64_t       at = words[0], size = words[1], from = words[2];
   uint32_t       low, high;
   DcfgReplayByte there[DCFG_REPLAY_MOST];

   if (!common(f, at, size, &low, &high))
      return true;
   if (f->moves == MOST_MOVES)
      return job_fail(&f->r->job, DCFG_ERROR_LIMIT, "tape",
                      "memory is moved too often");
   if (!memory_before(f->r, p, f->moves + 1, from + (f->addr + low - at),
                      high - low, there))
      return false;
   for (uint32_t i = low; i < high; i++)
      take(f, i, (DcfgReplayByte){ t, there[i - low].is,
                                   there[i - low].value });
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
      take(f, i, (DcfgReplayByte){ t, DCFG_REPLAY_KNOWN,
                 c->steps.bytes[words[MARK_BYTES_AT]
                                + (f->addr + i - words[0])] });
}

/* Take the bytes of a MarkMapped: new memory is zero, or a file's contents;
   unmapped memory has no value. */
static void take_mapped(MemorySearch* f, const KeptChunk* c,
                        const uint64_t* words, uint64_t t)
{
   uint32_t low, high, how;
   Bytes    b = { c->steps.bytes + words[MARK_BYTES_AT],
                  c->steps.bytes + words[MARK_BYTES_AT]
                  + words[MARK_N_BYTES], false };

   if (words[MARK_N_BYTES] == 0
       || !common(f, words[0], words[1], &low, &high))
      return;
   how = get_up_to(&b, MappedAll);
   if (b.failed || ((how & MappedThere) && !(how & MappedNew)))
      return;
   for (uint32_t i = low; i < high; i++)
      take(f, i, (DcfgReplayByte){ t,
                 !(how & MappedThere) ? DCFG_REPLAY_UNKNOWN
                 : how & (MappedFile | MappedShared) ? DCFG_REPLAY_FRESH
                 : DCFG_REPLAY_KNOWN, 0 });
}

/* Take the bytes that mark S changed before time T; P is the mark's place.
   Return false after an error. */
static bool take_mark(MemorySearch* f, const KeptChunk* c, const WetStep* s,
                      ReplayPlace p, uint64_t t)
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
      take_mapped(f, c, words, t);
   if ((s->mark != MarkWritten && s->mark != MarkFresh)
       || !common(f, words[0], words[1], &low, &high))
      return true;
   for (uint32_t i = low; i < high; i++)
      take(f, i, (DcfgReplayByte){ t, s->mark == MarkFresh ? DCFG_REPLAY_FRESH
                                      : DCFG_REPLAY_UNKNOWN, 0 });
   return true;
}

/* Set *A to slot J of the instruction with plan AT in step S, with no .kind if
   the access was not made.  Return false if the slot is no store of that
   execution. */
static bool get_store(const MemorySearch* f, const KeptChunk* c,
                      const WetStep* s, const InstrPlan* at, uint32_t j,
                      DcfgReplayAccess* a)
{
   bool made = replay_access(f->r, c, s, at, j, a);

   if ((uint32_t)at->slot + j >= s->n_slots || !(a->kind & DCFG_REPLAY_STORE))
      return false;
   a->kind = made;
   return true;
}

/* Take the bytes that the instance at time T, with plan AT, stores. */
static void take_stores(MemorySearch* f, const KeptChunk* c, const WetStep* s,
                        const InstrPlan* at, uint64_t t)
{
   DcfgReplayAccess a;
   uint64_t         first = 0, last = 0;        // addresses
   uint32_t         n = 0, size = 0, values, begin, low, high;
   bool             some = false, downward;
   uint8_t          value[MOST_VALUE];

   for (uint32_t j = 0; j < at->n_slots; j++)
      if (get_store(f, c, s, at, j, &a)) {
         first = n++ == 0 ? a.addr : first;
         last  = a.addr;
         size += a.size;
         some |= a.kind && common(f, a.addr, a.size, &low, &high);
      }
   if (!some)
      return;
   values = replay_value(f->r, c, s, at, value);
   /* The lowest address has the lowest bytes of the value, even if the accesses
      are listed downward.  BEGIN is the place of a store's bytes in the
      value. */
   downward = first > last;
   begin    = downward ? 0 : size;
   for (uint32_t j = at->n_slots; j-- > 0; ) {
      if (!get_store(f, c, s, at, j, &a))
         continue;
      begin -= downward ? 0 : a.size;
      if (a.kind && common(f, a.addr, a.size, &low, &high))
         for (uint32_t i = low; i < high; i++) {
            uint64_t at_value = begin + (f->addr + i - a.addr);
            bool     known = values == size && at_value < values;
            take(f, i, (DcfgReplayByte){ t + 1, known ? DCFG_REPLAY_KNOWN
                                                : DCFG_REPLAY_UNKNOWN,
                                         known ? value[at_value] : 0 });
         }
      begin += downward ? a.size : 0;
   }
}

/* Search the chunk of place P backward from P to its step FIRST.  Return false
   after an error. */
static bool take_chunk(MemorySearch* f, ReplayPlace p, size_t first)
{
   KeptChunk* c = replay_chunk(f->r, p.chunk);
   uint64_t   before = f->r->ix->chunks[p.chunk].before;

   if (c == NULL)
      return false;
   for (size_t i = p.step + (p.place > 0); i-- > first && f->left > 0; ) {
      const WetStep* s = &c->steps.steps[i];
      uint32_t n = i == p.step && p.place > 0 ? p.place : s->n_instrs;
      if (i % FILTER_STEPS == FILTER_STEPS - 1
          && !filter_has(&c->filters[i / FILTER_STEPS], f->addr, f->size,
                         DCFG_REPLAY_STORE)) {
         i -= FILTER_STEPS - 1;
         continue;
      }
      if (s->sb != 0) {
         for (uint32_t k = n; k-- > 0; )
            if (replay_place(f->r, s, k)->n_slots > 0)
               take_stores(f, c, s, replay_place(f->r, s, k),
                           before + c->times[i] + k);
         continue;
      }
      if (!take_mark(f, c, s, (ReplayPlace){ p.chunk, i, 0 },
                     before + c->times[i]))
         return false;
      /* take_moved() may have decoded other chunks in place of this one. */
      c = replay_chunk(f->r, p.chunk);
      if (c == NULL)
         return false;
   }
   return true;
}

/* Set *FOUND to the last chunk before NUMBER that may have written a byte that
   F still looks for.  Return false if there is none. */
static bool chunk_before(MemorySearch* f, uint32_t number, uint32_t* found)
{
   uint64_t last = UINT64_MAX;
   bool     any = false;

   for (uint32_t i = 0; i < f->size; i++) {
      uint64_t word = (f->addr + i) >> 3;
      uint32_t there;
      if (f->found[i] || word == last)
         continue;
      last = word;
      if (replay_wrote_before(f->r, number, word, &there)
          && (!any || there > *found)) {
         *found = there;
         any    = true;
      }
   }
   return any;
}

/* Return the cache's entry for a word, which other words and chunks share. */
static KnownWord* known_word(const DcfgReplay* r, uint32_t chunk,
                             uint64_t word)
{
   return &r->known_words[(word ^ word >> 14 ^ chunk * 0x9E5u)
                          % N_KNOWN_WORDS];
}

/* Take the bytes that chunk NUMBER wrote last, of words that the cache has.
   Return false if the chunk may have written other words that F still looks
   for. */
static bool take_known(MemorySearch* f, uint32_t number)
{
   bool     all = true;
   uint64_t last = UINT64_MAX;

   for (uint32_t i = 0; i < f->size; i++) {
      uint64_t         addr = f->addr + i, word = addr >> 3;
      const KnownWord* k = known_word(f->r, number, word);
      uint32_t         there;
      if (f->found[i])
         continue;
      if (k->word == word + 1 && k->chunk == number) {
         if (k->found >> addr % 8 & 1)
            take(f, i, k->bytes[addr % 8]);
      } else if (word != last) {
         last = word;
         all &= !replay_wrote_before(f->r, number + 1, word, &there)
                || there != number;
      }
   }
   return all;
}

/* Enter the whole words of F into the cache, after all of chunk NUMBER has been
   searched for them. */
static void note_known(const MemorySearch* f, uint32_t number)
{
   uint64_t before = f->r->ix->chunks[number].before;

   for (uint32_t i = (uint32_t)(-f->addr % 8); i + 8 <= f->size; i += 8) {
      uint64_t   word = (f->addr + i) >> 3;
      KnownWord* k = known_word(f->r, number, word);
      *k = (KnownWord){ .word = word + 1, .chunk = number };
      for (unsigned b = 0; b < 8; b++) {
         k->bytes[b] = f->bytes[i + b];
         /* A later chunk wrote the bytes that had been found before. */
         k->found   |= (uint8_t)((f->found[i + b]
                                  && k->bytes[b].since >= before
                                  && k->bytes[b].since
                                     <= before + f->r->ix->chunks[number]
                                                     .n_instrs) << b);
      }
      for (unsigned b = 0; b < 8; b++)
         if (f->found[i + b] && !(k->found >> b & 1))
            k->word = 0;
   }
}

/* Set BYTES to the SIZE bytes at ADDR at place P; MOVES is the depth of the
   recursion.  Return false after an error. */
static bool memory_before(DcfgReplay* r, ReplayPlace p, uint32_t moves,
                          uint64_t addr, uint32_t size, DcfgReplayByte* bytes)
{
   bool         found[DCFG_REPLAY_MOST] = { false };
   MemorySearch f = { r, addr, size, size, moves, found, bytes };
   uint32_t     at = p.chunk;
   KeptChunk*   c;

   memset(bytes, 0, size * sizeof(*bytes));
   if (!take_chunk(&f, p, 0))
      return false;
   while (f.left > 0 && chunk_before(&f, at, &at)) {
      if (take_known(&f, at))
         continue;             // earlier chunks wrote the other bytes
      c = replay_chunk(r, at);
      if (c == NULL
          || !take_chunk(&f, (ReplayPlace){ at, c->steps.n_steps, 0 }, 0))
         return false;
      note_known(&f, at);
   }
   return true;
}

bool replay_memory_at(DcfgReplay* r, uint64_t t, uint64_t addr, uint32_t size,
                      DcfgReplayByte* bytes)
{
   ReplayPlace p;

   if (r->ix->n_chunks == 0) {
      memset(bytes, 0, size * sizeof(*bytes));
      return true;
   }
   return replay_position(r, t, &p)
          && memory_before(r, p, 0, addr, size, bytes);
}

bool replay_memory_since(DcfgReplay* r, uint64_t since, uint64_t t,
                         uint64_t addr, uint32_t size, DcfgReplayByte* bytes)
{
   bool         found[DCFG_REPLAY_MOST] = { false };
   MemorySearch f = { r, addr, size, size, 0, found, bytes };
   ReplayPlace  first, p;

   return replay_position(r, since, &first) && replay_position(r, t, &p)
          && take_chunk(&f, p, first.step);
}

/*--- Loads after a time                                   ---*/

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
   DcfgReplayAccess a;
   uint8_t          value[MOST_VALUE];
   uint32_t         n_loads = 0, low, high;

   for (uint32_t j = 0; j < at->n_slots; j++)
      n_loads += replay_access(m->r, c, s, at, j, &a)
                 && (a.kind & DCFG_REPLAY_LOAD);
   for (uint32_t j = 0; j < at->n_slots && n_loads == 1; j++)
      if (replay_access(m->r, c, s, at, j, &a) && a.kind == DCFG_REPLAY_LOAD
          && f->copies[at->instr]
          && common(m, a.addr, a.size, &low, &high)) {
         uint32_t size = replay_value(m->r, c, s, at, value);
         for (uint32_t i = low; i < high; i++) {
            uint64_t from = m->addr + i - a.addr;
            if (!m->found[i] && from < size)
               take(m, i, (DcfgReplayByte){ m->bytes[i].since,
                                            DCFG_REPLAY_KNOWN, value[from] });
         }
      }
   for (uint32_t j = 0; j < at->n_slots; j++)
      if (replay_access(m->r, c, s, at, j, &a) && (a.kind & DCFG_REPLAY_STORE))
         close_bytes(m, a.addr, a.size);
}

bool dcfg_replay_loaded(DcfgReplay* r, uint64_t t, uint64_t addr,
                        uint32_t size, const bool* copies,
                        DcfgReplayByte* bytes)
{
   bool       found[DCFG_REPLAY_MOST] = { false };
   LoadSearch f = { { r, addr, size, 0, 0, found, bytes }, copies };
   ReplayPlace   p;
   KeptChunk* c;

   if (size > DCFG_REPLAY_MOST || r->ix->n_chunks == 0
       || !replay_position(r, t, &p)
       || (c = replay_chunk(r, p.chunk)) == NULL)
      return size <= DCFG_REPLAY_MOST && r->ix->n_chunks == 0;
   for (uint32_t i = 0; i < size; i++) {
      found[i]  = bytes[i].is == DCFG_REPLAY_KNOWN;
      f.m.left += !found[i];
   }
   for (size_t i = p.step; i < c->steps.n_steps && f.m.left > 0;
        i++, p.place = 0) {
      const WetStep*  s = &c->steps.steps[i];
      const uint64_t* words = c->steps.addrs + s->first;
      if (i % FILTER_STEPS == 0
          && !filter_has(&c->filters[i / FILTER_STEPS], addr, size,
                         DCFG_REPLAY_LOAD | DCFG_REPLAY_STORE)) {
         i += FILTER_STEPS - 1;
         continue;
      }
      if (s->sb == 0) {
         if (s->mark == MarkWritten || s->mark == MarkFresh
             || s->mark == MarkMoved)
            close_bytes(&f.m, words[0], words[1]);
         continue;
      }
      for (uint32_t k = p.place; k < s->n_instrs; k++)
         if (replay_place(r, s, k)->n_slots > 0)
            meet_instance(&f, c, s, replay_place(r, s, k));
   }
   return true;
}
