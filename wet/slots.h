/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Which addresses a superblock records. */

/* Private to wet/. */

#ifndef __DCFG_SLOTS_H
#define __DCFG_SLOTS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "dcfg_bb.h"
#include "format/wet_code.h"
#include "format/wet_history.h"
#include "wet/rows.h"

typedef
   struct {
      UShort instr;      // index in the superblock
      UShort size;       // bytes
      UChar  what;       // Access...
      UShort from;       // Where..., or WhereSlot + another's number
      Addr   addr;       // if constant, the address; if it is at a distance
   }                     // from the other's, that
   Slot;

/* A way in which a superblock can be left: at its end, or by an exit. */
typedef
   struct {
      UInt   sb;
      UChar  exit;       // its number, or HOW_END
      UChar  n_segments; // of the words that its row has then (wet/squeeze.c)
      UShort n_words;    // in these
   }
   SlotWay;

/* The accesses of a superblock's executions, in their order. */
typedef
   struct {
      UInt  first_way;   // by exit number 0; the last one is its end
      UInt  n_slots;
      Slot* slots;
      UInt  n_words;     // of them are on the tape
      UShort* at_exit;   // for each exit, how many slots there are when it is
                         // taken
      UInt   n_segments; // into which exits divide the words,
      UShort* segment_ends;  // and where each of those ends
      Rows   rows;
      UChar* code;       // its bytes, as they were translated
      UInt   next_on_page[2];   // see wet/closure.c, also of this
      Bool   closed, over, followed;
   }
   SlotList;

/* Before there is any superblock. */
void DCFG_(claim_slot_lists)(void);

/* SB's; .slots is NULL until it has been translated with the tape on. */
SlotList* DCFG_(slots_of)(Superblock* sb);

/* All ways, by number, from TAPE_FIRST_WAY on; N more of them, and the number of
   the first one. */
extern SlotWay* DCFG_(ways);
UInt DCFG_(new_ways)(UInt n);

/* The words on the tape of an execution that completed K instructions, and how
   many segments: the last words may be of another one. */
UInt DCFG_(words_before)(const SlotList* list, UInt k,
                         /*OUT*/UInt* n_segments);

/* Where segment S begins. */
static inline UInt DCFG_(segment_begin)(const SlotList* list, UInt s)
{
   return s == 0 ? 0 : list->segment_ends[s - 1];
}

/* The access of a statement: returns False if it makes none.  *ADDR is where,
   *GUARD whether (NULL: always, or its .what says that it is guarded, and the
   statement's results tell). */
Bool DCFG_(access_of)(const IRSB* sb, const IRStmt* st, /*OUT*/Slot* access,
                      /*OUT*/IRExpr** addr, /*OUT*/IRExpr** guard);

/* Is ACCESS, which VEX makes for the instruction of LEN bytes at CODE, one of
   the program?  VEX leads registers through memory (BT and its like), makes of a
   store-exclusive, if it is told to, a load and a compare-and-swap, and reads
   what a gather leaves out. */
Bool DCFG_(is_access)(const IRSB* sb, const UChar* code, UInt len,
                      /*MOD*/Slot* access, /*MOD*/IRExpr** addr,
                      /*MOD*/IRExpr** guard);

#endif /* __DCFG_SLOTS_H */
