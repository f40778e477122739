/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Private to lib/index/: who wrote the registers last in a chunk. */

#ifndef DCFG_LIB_INDEX_REGISTERS_H
#define DCFG_LIB_INDEX_REGISTERS_H

#include "lib/index/index_image.h"
#include "format/numbers.h"

/* Return whether the index tells the last writers of GRANULE: it does of general
   and of vector registers.  A word has a granule's bit. */
static inline bool index_tells_granule(unsigned granule)
{
   return granule < G_FLAGS || (granule >= G_VECTOR && granule < G_X87);
}

/*--- Making                                               ---*/

/* StepTurn: the turn of a thread, or what a part of a chunk has of it. */
typedef
   struct {
      uint32_t        thread;
      size_t          begin, end;       // its steps
      uint64_t        time;     // instructions of the trace up to its end
      const uint64_t* defs;     // granules that the thread may have written
   }
   StepTurn;

/* LastWriters: the last writers of the registers of each thread in the present
   chunk.  Written by index_registers.c alone. */
typedef struct LastWriters LastWriters;

LastWriters* last_writers(Job* job, const DcfgWet* w);  // NULL: no memory
void         last_writers_free(LastWriters* x);

/* Note TURN, of STEPS. */
bool last_writers_turn(LastWriters* x, const IndexWays* ways,
                       const WetSteps* steps, const StepTurn* turn);

/* Note that others than instructions wrote registers of THREAD in this chunk:
   then only the chunk tells. */
void last_writers_spoil(LastWriters* x, uint32_t thread);

/* Append the code of THREAD's last writers to TO, in at most MOST bytes; none if
   there are more.  The chunk ends at time END.  Forget the writers. */
bool last_writers_put(LastWriters* x, uint32_t thread, uint64_t end,
                      uint64_t most, Array* to);

/*--- Reading                                              ---*/

/* LastWriter: an instance of a chunk, the last one that wrote some byte of a
   register. */
typedef
   struct {
      uint64_t time;
      uint32_t sb, place;       // its superblock, and its index there
      uint32_t n_slots;         // its first slots; see last_writer_slots()
      ByteReader slots;
   }
   LastWriter;

/* Set *TO to the next writer of code B, which is earlier: *TO has the one before,
   or the chunk's end as .time, whose first instruction is at time FROM.  Return
   false at the end; B has failed if the code is wrong. */
bool last_writer_next(const DcfgWet* w, ByteReader* b, uint64_t from,
                      LastWriter* to);

/* Return the instruction of L. */
static inline uint32_t last_writer_instr(const DcfgWet* w, const LastWriter* l)
{
   return w->places[ELEM(w->sbs, WetSb, l->sb).instrs.first + l->place].instr;
}

/* Set SLOTS to the .n_slots slots of L, from the first one of its instruction
   on. */
void last_writer_slots(const LastWriter* l, uint64_t* slots);

#endif /* DCFG_LIB_INDEX_REGISTERS_H */
