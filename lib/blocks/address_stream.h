
/*--------------------------------------------------------------------*/
/*--- Passages of a stream of instructions.     address_stream.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
