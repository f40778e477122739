/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tape in memory: slots, rows and ways. */

/* Private to wet/. */

#ifndef __DCFG_SLOTS_H
#define __DCFG_SLOTS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "dcfg_bb.h"
#include "format/port.h"
#include "format/wet_code.h"
#include "format/wet_history.h"
#include "format/wet_records.h"

/* The tape is what generated code writes while the program runs.  Each
   execution of a superblock writes a header.  Between headers there are marks:
   other numbers, with words that depend on the mark.  The other words of an
   execution, one for each address or value, are the next row of the superblock
   (Rows).

   A header is the number of the way in which the superblock was left (SlotWay).
   It is a small number, because that makes generated code shorter.  If a fault
   left the superblock inside, the header is TapeStopped.  Behind it are the
   superblock's id, the number of completed instructions, and the words of a
   segment that had not ended.  If no segment had ended, there is no row. */
#define TAPE_FIRST_WAY 32u
#define TAPE_MAX_EXITS HOW_STOPPED

/* The most words of a superblock and a mark. */
#define DCFG_TAPE_SLACK 8192u

/* In memory only: neither a mark nor a way. */
enum { TapeStopped = TAPE_FIRST_WAY - 1 };

/* Rows: the words that a superblock's executions have on the tape, a row for
   each execution.  Generated code writes a row at .next and moves .next behind
   it.  If .next is .end, it calls rows_are_full() (tool/wet/tape.h) before. */
typedef
   struct _Rows {
      ULong* next;
      ULong* end;
      ULong* begin;
      UInt   size;       // words in a row
      struct _Rows* other;      // the next one that has memory
   }
   Rows;

/* Give R more memory.  Return False if it has enough: then the tape should be
   coded. */
Bool DCFG_(grow_rows)(Rows* r);

/* Return the memory of all rows, in words. */
ULong DCFG_(room_for_rows)(void);

/* Remove all rows, and if GIVE_BACK free their memory. */
void DCFG_(empty_rows)(Bool give_back);
#define DCFG_MUCH_ROOM (3u << 20)

/* Slot: an address or value of a superblock. */
typedef
   struct {
      UShort instr;      // index in the superblock
      UShort size;       // in bytes
      UChar  what;       // Access...
      UShort from;       // a Where..., or WhereSlot + number of a slot
      Addr   addr;       // the constant, or the distance from .from
   }
   Slot;

/* The type of a slot that is a load from the mirror. */
#define SLOT_LOAD (AccessTerm + 2 * TermLoad + 1)

/* Return whether SLOT has a word on the tape. */
static inline Bool DCFG_(has_word)(const Slot* slot)
{
   return slot->from == WhereTape;
}

/* NewSlots: the slots of a superblock in translation. */
typedef
   struct {
      UInt n;
      Slot slots[DCFG_TAPE_SLACK / 2];
   }
   NewSlots;

/* SlotWay: a way to leave a superblock, at its end or by an exit. */
typedef
   struct {
      UInt   sb;
      UShort hash;       // wet_history_hash() of both
      UShort n_words;    // words in these segments
      UChar  exit;       // number of the exit, or HOW_END
      UChar  n_segments; // segments of words in its row (tool/wet/coding.c)
   }
   SlotWay;

/* SlotList: the accesses of a superblock, in their order. */
typedef
   struct {
      UInt  first_way;   // the way of exit number 0; the last way is the end
      UInt  n_slots;
      Slot* slots;
      UInt  n_words;     // those that are on the tape
      UShort* at_exit;   // for each exit: number of slots before it
      UInt   n_segments; // segments into which exits divide the words
      UShort* segment_ends;  // the end of each segment
      Rows   rows;
      UChar* code;       // its bytes when it was translated
      UInt   next_on_page[2];   // see tool/wet/closure.c, also for .closed, .over,
                                // .followed
      Bool   closed, over, followed;
   }
   SlotList;

/* Claim the fields.  Called before there is any superblock. */
void DCFG_(claim_slot_lists)(void);

/* Return SB's list.  .slots is NULL until SB has been translated with the
   tape. */
SlotList* DCFG_(slots_of)(Superblock* sb);

/* All ways by number, from TAPE_FIRST_WAY on, before n_ways().  new_ways() adds
   N and returns the number of the first. */
extern SlotWay* DCFG_(ways);
UInt DCFG_(new_ways)(UInt n);
UInt DCFG_(n_ways)(void);

/* Return the number of words on the tape of an execution that completed K
   instructions, and the number of whole segments.  The last words may be of
   another segment. */
UInt DCFG_(words_before)(const SlotList* list, UInt k,
                         /*OUT*/UInt* n_segments);

/* Return the number of loads from the mirror in an execution that completed K
   instructions. */
UInt DCFG_(loads_before)(const SlotList* list, UInt k);

/* Return the index of the first word of segment S. */
static inline UInt DCFG_(segment_begin)(const SlotList* list, UInt s)
{
   return s == 0 ? 0 : list->segment_ends[s - 1];
}

/* Find the access that a statement makes.  Return False if it makes none.
   *ADDR is its address.  *GUARD is its condition, or NULL: it is unconditional,
   or .what is guarded and the statement's results tell. */
Bool DCFG_(access_of)(const IRSB* sb, const IRStmt* st, /*OUT*/Slot* access,
                      /*OUT*/IRExpr** addr, /*OUT*/IRExpr** guard);

/* Return whether ACCESS, which VEX makes for the instruction of LEN bytes at
   CODE, is the program's, and correct it.  VEX passes registers through memory
   (BT of a register), reads elements outside a gather's mask, and can make a
   load and a compare-and-swap of a store-exclusive. */
Bool DCFG_(is_access)(const IRSB* sb, const UChar* code, UInt len,
                      /*MOD*/Slot* access, /*MOD*/IRExpr** addr,
                      /*MOD*/IRExpr** guard);

#endif /* __DCFG_SLOTS_H */
