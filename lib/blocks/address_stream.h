/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Passages of an instruction stream. */

#ifndef DCFG_ADDRESS_STREAM_H
#define DCFG_ADDRESS_STREAM_H

#include "lib/blocks/tally.h"

/* AddressStream: the head of address_stream.c explains its members. */
typedef
   struct {
      Job*           job;
      uint8_t*       code;
      uint64_t*      addrs;
      uint32_t       n, cap;    // for .code and .addrs; there is always room
                                // for one more
      uint32_t*      buckets;   // hash table: place of an instruction + 1
      uint32_t       n_buckets, n_instrs;
      HashKey        hash;
      Passages       passages;
      uint64_t       executed;  // without those since AHEAD was set
      /* The present sequence: the leader it came from, and the last instruction
         when AHEAD was set.  From then on, AHEAD is at the next instruction if
         everything goes straight on, and EXPECT is its address. */
      uint32_t       from, at;
      const uint8_t* ahead;
      const uint8_t* ahead_set;
      uint64_t       expect;
      uint32_t       sequence;
      Array          others;    // Standing, for all sequences
      /* After the first pass: */
      uint64_t*      starts;    // one bit for each place: does a piece begin?
      uint32_t*      before;    // number of pieces that begin before each 64
                                // places
      void         (*visit)(void* arg, uint32_t block);
      void*          visit_arg;
      const Tally*   dynamics;
   }
   AddressStream;

/* Sizes from here on are in .addrs. */
#define LONG_SIZE 127U

bool stream_start(AddressStream* s, Job* job);
void stream_end(AddressStream* s);

/* Do the unusual cases of stream_add(). */
bool stream_step(AddressStream* s, uint64_t addr, uint32_t size);

/* Add the next instruction. */
static inline bool stream_add(AddressStream* s, uint64_t addr, uint32_t size)
{
   if (addr == s->expect && size == *s->ahead && size - 1 < LONG_SIZE - 1) {
      s->ahead++;
      s->expect += size;
      return true;
   }
   return stream_step(s, addr, size);
}

/* End the present sequence; switch to another one. */
bool stream_stop(AddressStream* s);
bool stream_switch(AddressStream* s, uint32_t sequence);

uint64_t stream_executed(const AddressStream* s);

/* Make the tables.  Afterwards the stream can be visited. */
bool stream_tally(AddressStream* s, Tally* statics, Tally* dynamics);
void stream_visit(AddressStream* s, void (*visit)(void* arg, uint32_t block),
                  void* arg, const Tally* dynamics);

#endif /* DCFG_ADDRESS_STREAM_H */
