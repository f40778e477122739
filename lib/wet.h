
/*--------------------------------------------------------------------*/
/*--- What the readers of a wet file share.                wet.h ---*/
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

#ifndef DCFG_WET_H
#define DCFG_WET_H

#include "input.h"
#include "job.h"

/* docs/wet-file.md tells the layout of the file. */

/*------------------------------------------------------------*/
/*--- Bytes                                                ---*/
/*------------------------------------------------------------*/

/* Bytes to be read, up to END.  What is not there is read as 0 and
   remembered. */
typedef
   struct {
      const uint8_t* at;
      const uint8_t* end;
      bool           failed;
   }
   Bytes;

static inline uint64_t get_varint(Bytes* b)
{
   uint64_t n = 0;

   for (unsigned shift = 0; b->at < b->end && shift < 64; shift += 7) {
      uint8_t byte = *b->at++;
      n |= (uint64_t)(byte & 127) << shift;
      if (byte < 128)
         return n;
   }
   b->failed = true;
   return 0;
}

/* The difference that was written as D. */
static inline uint64_t difference_of(uint64_t d)
{
   return d >> 1 ^ -(d & 1);
}

/* A number that says first how many bytes it has. */
static inline uint64_t get_quick(Bytes* b)
{
   unsigned size = b->at < b->end ? (*b->at & 7) + 1u : 0;
   unsigned skip = size == 8;              // nothing else is in the first one
   uint64_t n = 0;

   if (size == 0 || (size_t)(b->end - b->at) < size + skip) {
      b->failed = true;
      return 0;
   }
   for (unsigned i = 0; i < size; i++)
      n |= (uint64_t)b->at[skip + i] << 8 * i;
   b->at += size + skip;
   return skip ? n : n >> 3;
}

/* A number up to MAX. */
static inline uint32_t get_up_to(Bytes* b, uint64_t max)
{
   uint64_t n = get_varint(b);

   if (n > max) {
      b->failed = true;
      return 0;
   }
   return (uint32_t)n;
}

/*------------------------------------------------------------*/
/*--- Tables                                               ---*/
/*------------------------------------------------------------*/

/* Parts of ranges, accesses, places are given by the first one and how many
   there are. */
typedef
   struct {
      uint32_t first, n;
   }
   Span;

typedef
   struct {
      uint16_t first, n;        // locations
   }
   LocRange;

typedef
   struct {
      uint16_t place;           // of a superblock's instruction
      uint16_t size;
      uint16_t same;
      uint8_t  what;
      uint16_t from;            // FROM_...
      uint64_t addr;            // the constant or distance
   }
   WetAccess;

/* Where the address of a superblock's access is found: on the tape; there,
   from the last one that was made from RSP; nowhere else; or at a distance
   from that of the superblock's access number .from - FROM_SLOT. */
enum { FROM_TAPE, FROM_FRAME, FROM_STACK, FROM_CONSTANT, FROM_SLOT };

typedef
   struct {
      uint64_t addr;
      uint32_t image;
      uint32_t code;            // in .code
      uint8_t  len;
      uint8_t  kind;
      uint8_t  flags;
      Span     uses, defs;      // in .ranges
      Span     accesses;        // in .accesses
   }
   WetInstr;

typedef
   struct {
      uint16_t place;           // of the instruction that takes it
      uint16_t n_slots, n_words;
   }
   WetExit;

typedef
   struct {
      Span     instrs;          // in .sb_instrs
      Span     exits;           // in .exits
      Span     slots;           // in .accesses
      uint32_t n_words;         // of them are on the tape
      uint32_t foretold;        // the first in .foretold
      uint32_t chunk;           // to which those belong
   }
   WetSb;

typedef
   struct {
      uint64_t last, step, other;
   }
   Foretold;

/* The chunk in work: its three parts. */
typedef
   struct {
      uint8_t* data;
      size_t   size, room;
      uint32_t number;          // from 1 up
      uint32_t n_records;       // that are still to come
      uint64_t n_right;         // of them as foretold
      bool     other;           // and then the other one that was foretold
      Bytes    control, bits, addresses;
      unsigned bit;
      uint32_t history;
      uint64_t next[1 << 16];
      uint32_t context;
      uint64_t stack;           // the last address that was made from RSP
      uint64_t before[(1 << 16) + 4096];
   }
   Chunk;

/* A record of the tape. */
typedef
   struct {
      uint32_t        sb;       // or 0: a mark
      uint32_t        mark;
      uint64_t        words[2];
      uint32_t        n_instrs;  // that were completed
      uint32_t        n_slots, n_words;
      const uint64_t* addrs;
   }
   Record;

typedef struct WetWriters WetWriters;

struct DcfgWet {
   Job       job;
   Input*    in;
   Array     instrs;            // WetInstr
   Array     sbs;               // WetSb, from id 1 on
   Array     code;              // uint8_t
   Array     ranges;            // LocRange
   Array     accesses;          // WetAccess
   Array     sb_instrs;         // uint32_t
   Array     exits;             // WetExit
   Array     foretold;          // Foretold
   Array     threads;           // uint64_t
   uint64_t  tape_left;         // bytes
   uint64_t* addrs;             // of one record
   uint64_t* words;             // those of them that are on the tape
   Chunk*    chunk;
   uint64_t* instances;         // by instruction: so far
   WetWriters* writers;
   uint32_t  thread;
   Record    record;
   uint32_t  place, slot;       // in it: what comes next
};

/* N more bytes of the file, all of them. */
bool wet_read(DcfgWet* w, void* to, size_t n);

/* The next record of the tape.  False at its end, or if it cannot be
   read. */
bool wet_next_record(DcfgWet* w, Record* r);

/* No record has more accesses. */
#define MAX_ACCESSES 4096

/* Who wrote what E, an instruction of SB, uses, to E; what it writes is its
   own from now on.  And what another event changes. */
bool wet_find_writers(DcfgWet* w, const WetSb* sb, DcfgWetEvent* e);
bool wet_note_mark(DcfgWet* w, const DcfgWetEvent* e);

bool wet_start_writers(DcfgWet* w);
void wet_free_writers(DcfgWet* w);

#endif /* DCFG_WET_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
