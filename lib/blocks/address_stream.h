/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Passages of a stream of instructions. */

#ifndef DCFG_ADDRESS_STREAM_H
#define DCFG_ADDRESS_STREAM_H

#include "lib/blocks/tally.h"

/* The head of address_stream.c says what these are. */
typedef
   struct {
      Job*           job;
      uint8_t*       code;
      uint64_t*      addrs;
      uint32_t       n, cap;    // of both; there is always room for one more
      uint32_t*      buckets;   // places of instructions by address; plus 1
      uint32_t       n_buckets, n_instrs;
      HashKey        hash;
      Passages       passages;
      uint64_t       executed;  // but for those since AHEAD was set
      /* The current sequence: the leader it came from, and the instruction
         executed last, as it was when AHEAD was set.  Then AHEAD is at what
         comes next if all goes straight on, and EXPECT its address. */
      uint32_t       from, at;
      const uint8_t* ahead;
      const uint8_t* ahead_set;
      uint64_t       expect;
      uint32_t       sequence;
      Array          others;    // Standing: of all sequences
      /* After finishing. */
      uint64_t*      starts;    // bits: a piece begins here
      uint32_t*      before;    // pieces that begin before each 64 of them
      void         (*visit)(void* arg, uint32_t block);
      void*          visit_arg;
      const Tally*   dynamics;
   }
   AddressStream;

/* Sizes from this one on are kept elsewhere. */
#define LONG_SIZE 127U

bool stream_start(AddressStream* s, Job* job);
void stream_end(AddressStream* s);

/* What is not the usual case of stream_add(). */
bool stream_step(AddressStream* s, uint64_t addr, uint32_t size);

/* The next instruction. */
static inline bool stream_add(AddressStream* s, uint64_t addr, uint32_t size)
{
   if (addr == s->expect && size == *s->ahead && size - 1 < LONG_SIZE - 1) {
      s->ahead++;
      s->expect += size;
      return true;
   }
   return stream_step(s, addr, size);
}

/* The current sequence has ended; another one is to go on. */
bool stream_stop(AddressStream* s);
bool stream_switch(AddressStream* s, uint32_t sequence);

uint64_t stream_executed(const AddressStream* s);

/* The tables.  Afterwards the stream can be visited. */
bool stream_tally(AddressStream* s, Tally* statics, Tally* dynamics);
void stream_visit(AddressStream* s, void (*visit)(void* arg, uint32_t block),
                  void* arg, const Tally* dynamics);

#endif /* DCFG_ADDRESS_STREAM_H */
