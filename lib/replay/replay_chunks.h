/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to lib/replay/: a trace that is gone through in any direction. */

#ifndef DCFG_LIB_REPLAY_CHUNKS_H
#define DCFG_LIB_REPLAY_CHUNKS_H

#include "lib/dcfg_replay.h"
#include "lib/index/wet_index.h"

/* Chunks that are kept decoded. */
#define KEPT_CHUNKS 3u

/* StepFilter: what FILTER_STEPS steps may do.  Lines of memory have bits, which
   several share. */
#define FILTER_STEPS 256u
#define FILTER_WORDS 8u
typedef
   struct {
      uint64_t stores[FILTER_WORDS];
      uint64_t loads[FILTER_WORDS];
      uint64_t defs[2];         // granules of registers
      uint32_t handlers;        // marks of handlers in earlier steps
      bool     any;             // much is written: the words do not hold
      bool     turns;           // a mark changes what registers a thread has
   }
   StepFilter;

/* KeptChunk: a chunk, decoded. */
typedef
   struct {
      bool      there;
      uint32_t  number;
      uint64_t  used;           // the latest is the greatest
      WetSteps  steps;
      uint64_t* times;          // by step: instructions of the chunk before it
      size_t    max_times;
      StepFilter* filters;      // by FILTER_STEPS steps
      size_t    max_filters;
   }
   KeptChunk;

/* ReplayPlace: a place in the trace, behind .place instructions of a step. */
typedef
   struct {
      uint32_t chunk;
      size_t   step;
      uint32_t place;
   }
   ReplayPlace;

/* Remembered: the last chunk before .chunk that wrote to a word of memory. */
#define N_REMEMBERED 32768u
typedef
   struct {
      uint64_t word;            // its number, and 1; 0: none
      uint32_t chunk;
      uint32_t found;           // and 1; 0: none did
   }
   Remembered;

/* KnownWriter: who wrote all of a granule of a thread's registers last before
   chunk .chunk.  There is one for each granule of N_KNOWN_THREADS threads. */
#define N_KNOWN_THREADS 16u
typedef
   struct {
      bool             there;
      bool             none;    // nobody did
      uint32_t         thread, chunk;
      uint32_t         first;   // chunk that has the writer
      DcfgReplayWriter by;
   }
   KnownWriter;

/* KnownWord: the last writes of a chunk to a word of memory. */
#define N_KNOWN_WORDS 16384u
typedef
   struct {
      uint64_t       word;      // its number, and 1; 0: none
      uint32_t       chunk;
      uint8_t        found;     // a bit for each byte that the chunk wrote
      DcfgReplayByte bytes[8];
   }
   KnownWord;

#define MOST_VALUE 1024u

struct DcfgReplay {
   Job        job;
   DcfgWet*   of;               // the user's
   DcfgWet*   w;                // the same trace, for reading
   WetIndex*  ix;
   KeptChunk  kept[KEPT_CHUNKS];
   uint64_t   clock;
   uint64_t (*sb_defs)[2];      // by superblock: granules that it may define
   Remembered* words;           // N_REMEMBERED
   KnownWriter* writers;        // N_KNOWN_THREADS * N_GRANULES
   KnownWord* known_words;      // N_KNOWN_WORDS
   ReplayPlace last;            // the place of .last_time, if .has_last
   uint64_t   last_time;
   bool       has_last;
   bool     (*stop)(void* arg);
   void*      stop_arg;
   DcfgReplayInstr  told;
   DcfgReplayAccess accesses[MAX_ACCESSES];
   uint8_t    value[MOST_VALUE];
};

/* Return chunk NUMBER; NULL if it cannot be read.  It is valid until
   KEPT_CHUNKS other ones have been asked for. */
KeptChunk* replay_chunk(DcfgReplay* r, uint32_t number);

/* Set *P to the position before the instruction at time T, behind all marks
   before it. */
bool replay_position(DcfgReplay* r, uint64_t t, ReplayPlace* p);

/* Does the listener want the search to end? */
static inline bool replay_stopped(const DcfgReplay* r)
{
   return r->stop != NULL && r->stop(r->stop_arg);
}

/* Did chunk NUMBER perhaps write to one of the SIZE bytes at ADDR? */
bool replay_wrote(DcfgReplay* r, uint32_t number, uint64_t addr,
                  uint64_t size);

/* Set *FOUND to the last chunk below NUMBER that may have written to the word
   of memory with that number.  Return false if there is none. */
bool replay_wrote_before(DcfgReplay* r, uint32_t number, uint64_t word,
                         uint32_t* found);

/* May the steps of FILTER use one of the SIZE bytes at ADDR, to load or to
   store? */
bool filter_has(const StepFilter* f, uint64_t addr, uint64_t size,
                uint32_t kind);

/* The place of instruction K of step S. */
static inline const InstrPlan* replay_place(const DcfgReplay* r,
                                            const WetStep* s, uint32_t k)
{
   return &r->w->places[ELEM(r->w->sbs, WetSb, s->sb).instrs.first + k];
}

/* Set TO to access J of the instruction at AT in step S of C.  False if it was
   not made. */
static inline bool replay_access(const DcfgReplay* r, const KeptChunk* c,
                                 const WetStep* s, const InstrPlan* at,
                                 uint32_t j, DcfgReplayAccess* to)
{
   uint32_t         slot = (uint32_t)at->slot + j;
   const WetAccess* a;

   if (slot >= s->n_slots)
      return false;
   a  = &ELEM(r->w->accesses, WetAccess,
              ELEM(r->w->sbs, WetSb, s->sb).slots.first + slot);
   *to = (DcfgReplayAccess){ c->steps.addrs[s->first + slot], a->size,
                             a->what & (AccessLoad | AccessStore) };
   return to->addr != 0 || !(a->what & AccessGuarded);
}

/* The value of that instance, to TO, which has MOST_VALUE bytes: its size. */
uint32_t replay_value(const DcfgReplay* r, const KeptChunk* c,
                      const WetStep* s, const InstrPlan* at, uint8_t* to);

/* Do the A_SIZE bytes at A and the B_SIZE bytes at B share one? */
static inline bool overlaps(uint64_t a, uint64_t a_size, uint64_t b,
                            uint64_t b_size)
{
   return a_size > 0 && b_size > 0 && (a - b < b_size || b - a < a_size);
}

#endif /* DCFG_LIB_REPLAY_CHUNKS_H */
