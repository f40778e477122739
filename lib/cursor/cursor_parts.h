/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to lib/cursor/: a cursor, its decoded chunks, and its caches. */

#ifndef DCFG_LIB_CURSOR_PARTS_H
#define DCFG_LIB_CURSOR_PARTS_H

#include "lib/dcfg_cursor.h"
#include "lib/index/index_stores.h"
#include "lib/index/wet_index.h"

/* Number of chunks that are kept decoded: at most, and at least, and how many
   bytes if there are more. */
#define KEPT_CHUNKS 3u
#define LEAST_KEPT  2u
#define MOST_KEPT   (300u << 20)

/* StepFilter: tells of FILTER_STEPS steps of a chunk what they certainly do not
   access.  Each line of memory has a bit, which other lines share. */
#define FILTER_STEPS 256u
#define FILTER_WORDS 8u
typedef
   struct {
      uint64_t stores[FILTER_WORDS];
      uint64_t loads[FILTER_WORDS];
      uint64_t defs[2];         // granules of registers that they may define
      uint32_t handlers;        // MarkHandlers in earlier steps of the chunk
      bool     any;             // a large access: the bits do not count
      bool     turns;           // a mark sets registers of a thread
   }
   StepFilter;

/* KeptChunk: a decoded chunk. */
typedef
   struct {
      bool      there;          // false: there is no chunk here
      uint32_t  number;
      uint64_t  used;           // .clock when it was used last
      WetSteps  steps;
      uint64_t* times;          // by step: instructions of the chunk before it
      size_t    max_times;
      StepFilter* filters;      // by FILTER_STEPS steps
      size_t    max_filters;
   }
   KeptChunk;

/* CursorPlace: a place in the trace, behind the first .place instructions of
   step .step of chunk .chunk. */
typedef
   struct {
      uint32_t chunk;
      size_t   step;
      uint32_t place;
   }
   CursorPlace;

/* Remembered: the last chunk before .chunk that wrote to a word of memory. */
#define N_REMEMBERED 32768u
typedef
   struct {
      uint64_t word;            // the word's number plus 1; 0: empty
      uint32_t chunk;
      uint32_t found;           // the chunk's number plus 1; 0: none did
   }
   Remembered;

/* ToldRegister: numbers behind those of granules, for registers that only the
   trace's marks and its begin tell. */
enum {
   TOLD_X87   = N_GRANULES,     // x87's registers
   TOLD_OTHER = TOLD_X87 + 8,   // those of DcfgWetRegisterKind from IP on
   N_TOLD     = TOLD_OTHER + DCFG_WET_REG_SEGMENT - DCFG_WET_REG_IP + 6
};

/* KnownWriter: a cache entry: the last writer, before chunk .chunk, of a
   granule or told register of a thread.  There is an entry for each of these
   of N_KNOWN_THREADS threads. */
#define N_KNOWN_THREADS 16u
typedef
   struct {
      bool             there;
      bool             none;    // nobody in the trace wrote it
      uint32_t         thread, chunk;
      uint32_t         first;   // the entry holds from this chunk on
      DcfgCursorWriter by;
   }
   KnownWriter;

/* IndexedInstance: a cache entry: an instance that the index told as a last
   writer. */
#define N_INDEXED 256u
typedef
   struct {
      uint64_t time;            // the instance's time plus 1; 0: empty
      uint32_t turn;            // the number of its turn in the index
   }
   IndexedInstance;

/* IndexedInstr: such an instance, with its plan.  .accesses and .slots begin with its
   own first slot, and so does .at. */
typedef
   struct {
      InstrPlan        at;
      const WetAccess* accesses;
      uint32_t         thread;
      uint32_t         n_slots;
      uint64_t         slots[MAX_ACCESSES];
   }
   IndexedInstr;

/* KnownWord: a cache entry: the last writes of a chunk to a word of memory. */
#define N_KNOWN_WORDS 16384u
typedef
   struct {
      uint64_t       word;      // the word's number plus 1; 0: empty
      uint32_t       chunk;
      uint8_t        found;     // the bytes that the chunk wrote, a bit for each
      DcfgCursorByte bytes[8];
   }
   KnownWord;

/* KnownTops: the top of x87's stack of a thread before each step of a chunk. */
typedef
   struct {
      bool     there;
      uint32_t thread, chunk;
      uint8_t* tops;
      size_t   room;
   }
   KnownTops;

#define NO_TOP 0xFF             // the top is not known

/* QuietWord: a cache entry: bytes of a word that no instruction of chunk .chunk
   loads, from time .time on. */
#define N_QUIET 1024u
typedef
   struct {
      uint64_t word;            // the word's number plus 1; 0: empty
      uint64_t time;
      uint32_t chunk;
      uint8_t  bytes;           // a bit for each
   }
   QuietWord;

/* RecentWord: a word of memory at time .time, as the user has asked for it. */
#define N_RECENT 1024u
typedef
   struct {
      uint64_t       word;      // the word's number plus 1; 0: empty
      uint64_t       time;
      uint8_t        told;      // bytes that the index told, a bit for each
      DcfgCursorByte bytes[8];
   }
   RecentWord;

/* Renewed: .size bytes at .addr that something else than instructions and system
   calls wrote before time .time. */
typedef
   struct {
      uint64_t time, addr, size;
      size_t   after;           // the number of mappings before
   }
   Renewed;

struct DcfgCursor {
   Job        job;
   DcfgWet*   w;                // the user's trace
   WetCursor* tape;             // reads its chunks
   WetIndex*  ix;
   KeptChunk  kept[KEPT_CHUNKS];
   uint64_t   clock;
   Remembered* words;           // N_REMEMBERED
   KnownWriter* writers;        // N_KNOWN_THREADS * N_TOLD
   bool       doubts;           // the index's last writers do not count
   IndexedInstance indexed[N_INDEXED];
   KnownWord* known_words;      // N_KNOWN_WORDS
   KnownTops  tops;
   RecentWord recent[N_RECENT];
   QuietWord  quiet[N_QUIET];
   Array      mappings;         // DcfgCursorMapping
   Array      renewed;          // Renewed
   Arena      names;            // names of files
   CursorPlace last;            // the place of .last_time, if .has_last
   uint64_t   last_time;
   bool       has_last;
   bool     (*stop)(void* arg);
   void*      stop_arg;
   DcfgCursorInstr  told;
   DcfgCursorAccess accesses[MAX_ACCESSES];
   uint8_t    value[MOST_VALUE];
};

/* Return chunk NUMBER; NULL if it cannot be read.  It is valid until
   LEAST_KEPT other chunks have been decoded. */
KeptChunk* cursor_chunk(DcfgCursor* r, uint32_t number);

/* Return chunk NUMBER if it is decoded now, else NULL. */
KeptChunk* cursor_kept(DcfgCursor* r, uint32_t number);

/* Set *TO to the instance at time T, if the index has lately told it as a last
   writer.  Return false if it has not. */
bool cursor_index_instr(DcfgCursor* r, uint64_t t, IndexedInstr* to);

/* Return the chunk that has time T; the number of chunks if T is the end, or
   later. */
static inline uint32_t cursor_chunk_of(const DcfgCursor* r, uint64_t t)
{
   return index_chunk_of(r->ix, t);
}

/* Set *P to the place before the instruction at time T, behind all marks before
   that.  Return false after an error. */
bool cursor_position(DcfgCursor* r, uint64_t t, CursorPlace* p);

/* Return whether dcfg_cursor_listen()'s function ends the search. */
static inline bool cursor_stopped(const DcfgCursor* r)
{
   return r->stop != NULL && r->stop(r->stop_arg);
}

/* Return whether chunk NUMBER may have written one of the SIZE bytes at
   ADDR. */
bool cursor_wrote(DcfgCursor* r, uint32_t number, uint64_t addr,
                  uint64_t size);

/* Set .mappings and .renewed.  Return false after an error. */
bool cursor_load_mappings(DcfgCursor* r);

/* Change those of BYTES, the SIZE bytes at ADDR at time T, that somebody else
   wrote about then. */
void cursor_unseen(DcfgCursor* r, uint64_t t, uint64_t addr, uint32_t size,
                   DcfgCursorByte* bytes);

/* Set *T to the first time from FROM on at which a load tells that somebody else
   wrote one of the SIZE bytes at ADDR; if BACK, to the last such time before FROM.
   Return false if there is none. */
bool cursor_find_unseen(DcfgCursor* r, uint64_t addr, uint64_t size,
                        uint64_t from, bool back, uint64_t* t);

/* Return whether the steps of filter F may access one of the SIZE bytes at ADDR
   in a manner that KIND has. */
bool filter_has(const StepFilter* f, uint64_t addr, uint64_t size,
                uint32_t kind);

/* Return the plan of instruction K of step S. */
static inline const InstrPlan* cursor_place(const DcfgCursor* r,
                                            const WetStep* s, uint32_t k)
{
   return &r->w->places[ELEM(r->w->sbs, WetSb, s->sb).instrs.first + k];
}

/* Return the slots of step S. */
static inline const WetAccess* cursor_slots(const DcfgCursor* r,
                                            const WetStep* s)
{
   return &ELEM(r->w->accesses, WetAccess,
                ELEM(r->w->sbs, WetSb, s->sb).slots.first);
}

/* Set TO to access J of the instruction with plan AT, among ACCESSES, of which
   the first N_SLOTS have contents in SLOTS.  Return false if that access was not
   executed. */
static inline bool access_of(const WetAccess* accesses, const uint64_t* slots,
                             uint32_t n_slots, const InstrPlan* at, uint32_t j,
                             DcfgCursorAccess* to)
{
   uint32_t         slot = (uint32_t)at->slot + j;
   const WetAccess* a = &accesses[slot];

   if (slot >= n_slots)
      return false;
   *to = (DcfgCursorAccess){ slots[slot], a->size,
                             a->what & (AccessLoad | AccessStore) };
   return to->addr != 0 || !(a->what & AccessGuarded);
}

/* Set TO to access J of the instruction with plan AT in step S of chunk C.
   Return false if that access was not executed. */
static inline bool cursor_access(const DcfgCursor* r, const KeptChunk* c,
                                 const WetStep* s, const InstrPlan* at,
                                 uint32_t j, DcfgCursorAccess* to)
{
   return access_of(cursor_slots(r, s), c->steps.addrs + s->first, s->n_slots,
                    at, j, to);
}

/* Set TO, which has room for MOST_VALUE bytes, to the value of the instance
   with plan AT in step S of chunk C.  Return its size in bytes; 0: none was
   recorded. */
static inline uint32_t cursor_value(const DcfgCursor* r, const KeptChunk* c,
                                    const WetStep* s, const InstrPlan* at,
                                    uint8_t* to)
{
   return value_of(cursor_slots(r, s), c->steps.addrs + s->first, s->n_slots,
                   at, to);
}

/* Return whether mark S says that something else than an instruction wrote
   memory. */
static inline bool cursor_mark_writes(const WetStep* s)
{
   return s->mark == MarkWritten || s->mark == MarkFresh
          || s->mark == MarkMoved || s->mark == MarkContents;
}

/* Return the bytes that follow mark S of chunk C. */
static inline ByteReader cursor_bytes(const KeptChunk* c, const WetStep* s)
{
   const uint64_t* words = c->steps.addrs + s->first;
   const uint8_t*  at = c->steps.bytes + words[MARK_BYTES_AT];

   return (ByteReader){ at, at + words[MARK_N_BYTES], false };
}

/* Return whether the A_SIZE bytes at A and the B_SIZE bytes at B overlap. */
static inline bool overlaps(uint64_t a, uint64_t a_size, uint64_t b,
                            uint64_t b_size)
{
   return a_size > 0 && b_size > 0 && (a - b < b_size || b - a < a_size);
}

#endif /* DCFG_LIB_CURSOR_PARTS_H */
