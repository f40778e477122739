/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Reading a thread's record. */
/* JOINED from ways.h: */
/* Ways: the edges that recorded bits and targets mean at each node. */
/* JOINED from replay.h: */
/* Replaying a record: the edges in their order. */

#ifndef __DCFG_REPLAY_H
#define __DCFG_REPLAY_H

#include "pub_tool_basics.h"
#include "pub_tool_hashtable.h"
#include "tool/run/gather.h"
#include "tool/run/thread.h"
#include "tool/trace/record.h"

#define DCFG_READER_WORDS 1024u
#define DCFG_READER_UNITS 4096u

/* RecordReader: reads the bits and targets of one record from some place on. */
typedef
   struct {
      const Recording* rec;
      Bool    failed;              // did the record end too early?
      /* Bits: the upper N_BITS of BITS are unread, and then the upper N_AHEAD
         of AHEAD.  N_BITS is less than 64. */
      ULong   bits;
      UInt    n_bits;
      ULong   ahead;
      UInt    n_ahead;
      ULong   bits_loaded;
      Bool    last_word_read;
      UInt    next_word, n_words;  // index in .words
      ULong   words_at;            // bytes read from the stream
      /* Targets: */
      ULong   targets_loaded;
      UInt    n_right;             // loaded right guesses, not read yet
      UInt    next_unit, n_units;  // index in .units
      ULong   units_at;            // bytes read from the stream
      Guesser guesser;
      UShort  next_history[DCFG_N_GUESSES];   // for each history, if its guess
                                              // is right
      ULong   words[DCFG_READER_WORDS];
      UShort  units[DCFG_READER_UNITS];
   }
   RecordReader;

/* Start at the begin of REC, or at its landmark L. */
void DCFG_(read_from_start)(RecordReader* r, const Recording* rec);
void DCFG_(read_from)(RecordReader* r, const Recording* rec,
                      const Landmark* l);

/* Used by the functions below. */
void DCFG_(load_bits)(RecordReader* r);
void DCFG_(load_ahead)(RecordReader* r);
void DCFG_(load_targets)(RecordReader* r);

/* Return the next bit. */
static inline UInt DCFG_(read_bit)(RecordReader* r)
{
   if (r->n_bits == 0)
      DCFG_(load_bits)(r);
   UInt bit = r->bits >> 63;
   r->bits <<= 1;
   r->n_bits--;
   return bit;
}

static inline void DCFG_(skip_bits)(RecordReader* r, UInt n)
{
   while (n > r->n_bits && !r->failed) {
      n -= r->n_bits;
      DCFG_(load_bits)(r);
   }
   r->bits  <<= n;            // n < DCFG_WORD_BITS, or all
   r->n_bits -= n;
}

/* Have as many bits in .bits as fit there, or all that are left. */
static inline void DCFG_(top_up_bits)(RecordReader* r)
{
   while (r->n_bits < DCFG_WORD_BITS) {
      if (r->n_ahead == 0)
         DCFG_(load_ahead)(r);
      if (r->n_ahead == 0)
         return;
      UInt room = DCFG_WORD_BITS - r->n_bits;
      UInt n    = r->n_ahead < room ? r->n_ahead : room;
      r->bits    |= r->ahead >> r->n_bits;
      r->n_bits  += n;
      r->ahead  <<= n;
      r->n_ahead -= n;
   }
}

/* TargetPlace: what changes with each target.  The loop that takes most of a
   replay's time keeps it in registers. */
typedef
   struct {
      UInt n_right;                // right guesses still to come
      UInt history;                // the guesser's
   }
   TargetPlace;

static inline TargetPlace DCFG_(target_place)(const RecordReader* r)
{
   TargetPlace at = { r->n_right, r->guesser.history };
   return at;
}

static inline void DCFG_(set_target_place)(RecordReader* r, TargetPlace at)
{
   r->n_right         = at.n_right;
   r->guesser.history = at.history;
}

/* Return the number of the next target, at AT instead of R's own place. */
static inline UInt DCFG_(read_target_at)(RecordReader* r, TargetPlace* at)
{
   UInt n;

   if (at->n_right == 0) {
      DCFG_(set_target_place)(r, *at);
      DCFG_(load_targets)(r);
      *at = DCFG_(target_place)(r);
   }
   at->n_right--;
   n           = r->guesser.guesses[at->history];
   at->history = r->next_history[at->history];
   return n;
}

/* Return the number of the next target. */
static inline UInt DCFG_(read_target)(RecordReader* r)
{
   TargetPlace at = DCFG_(target_place)(r);
   UInt        n  = DCFG_(read_target_at)(r, &at);

   DCFG_(set_target_place)(r, at);
   return n;
}

static inline void DCFG_(skip_targets)(RecordReader* r, UInt n)
{
   for (; n > 0 && !r->failed; n--)
      DCFG_(read_target)(r);
}

/* Return whether the reader has come to PLACE. */
static inline Bool DCFG_(has_read_to)(const RecordReader* r,
                                      const RecordPlace* place)
{
   return place->bits == r->bits_loaded - r->n_bits - r->n_ahead
          && place->targets == r->targets_loaded - r->n_right;
}

/* WalkKind: what a replay does at a node. */
typedef
   enum {
      WalkOn,        // one way out: skip what was recorded
      WalkBit,       // read a bit
      WalkTarget,    // read a target
      WalkSlowly,    // an event may have happened here
      WalkEnd
   }
   WalkKind;

/* Way: an edge, and the next stop after it. */
typedef
   struct {
      UInt edge;           // 0: none
      UInt node;           // the next node that is not WalkOn
      UInt n_bits;         // bits to skip on the way there
      UInt n_targets;      // targets to skip
   }
   Way;

typedef
   struct {
      UChar kind;          // WalkKind
      UChar record;        // InsnRecord of the last instruction
      Bool  is_decision;   // does it have several counted out-edges?
      UInt  mask;          // size - 1 of its part of Ways.table
      Way   way[2];        // for each bit; [0] if nothing is recorded
      UInt  table;
   }
   NodeWays;

/* TargetWay: the way for a target's number. */
typedef
   struct {
      UInt number;
      Way  way;            // .edge 0: this element is free
   }
   TargetWay;

/* ChangingWay: a jump to an address whose code changed. */
typedef
   struct {
      UInt node;
      UInt bit;            // or the target's number
      Addr addr;
      Bool unredirected;
      /* The last result of tool/trace/replay.c: */
      UInt version;        // a version of the code at .addr,
      UInt edge;           // and the edge to it; 0: none is known
   }
   ChangingWay;

typedef
   struct {
      const Gathered* p;
      UInt       n_nodes;
      NodeWays*  nodes;        // for each node id
      UInt*      first_edge;   // for each node id n: its out-edges are
                               // first_edge[n] .. first_edge[n+1]-1
      Way*       ways;         // for each edge id
      TargetWay* table;        // hash tables; a node's begins at .table, and is
                               // searched from number & mask on, cyclically
      UInt         n_changing; // sorted by node and bit
      ChangingWay* changing;
      UInt*        changing_at;     // a hash table: numbers in .changing, from
      UInt         changing_mask;   // 1 up; its size - 1
   }
   Ways;

Ways* DCFG_(find_ways)(const Gathered* p);
void  DCFG_(delete_ways)(Ways* w);

/* Return the counted edge between two nodes, or 0. */
UInt DCFG_(edge_between)(const Ways* w, UInt source, UInt target);

/* Return the way for a target's number. */
static inline const Way* DCFG_(target_way)(const Ways* w, const NodeWays* n,
                                           UInt number)
{
   const TargetWay* table = w->table + n->table;
   UInt             i     = number & n->mask;

   while (table[i].number != number && table[i].way.edge != 0)
      i = (i + 1) & n->mask;
   return &table[i].way;
}

/* Return the changing way of NODE for BIT or a target's number, or NULL. */
ChangingWay* DCFG_(changing_way)(const Ways* w, UInt node, UInt bit);

/* Find the nodes at which a thread with position POS may stand: at most
   DCFG_MAX_PLACES.  If not .behind, the thread stands inside the node, before
   its last instruction.  IF_TAKEN: only if that instruction took its exit.
   Return their number. */
#define DCFG_MAX_PLACES 8
typedef
   struct {
      UInt node;
      Bool behind;
      Bool if_taken;
   }
   NodePlace;
UInt DCFG_(node_places)(const Gathered* p, const Position* pos,
                        /*OUT*/NodePlace* places);

/* Walk: one thread's path through the graph. */
typedef
   struct {
      const Ways*  w;
      UInt         thread;
      ThreadInfo   info;
      Recording    rec;
      RecordReader reader;
      UInt         node;        // the present node: a decision, or NodeEnd
      Bool         started;
      Bool         failed;
      /* The next event, and the nodes where it may have happened: */
      RecordEvent  event;
      Bool         has_event;
      ULong        events_at;   // bytes read from the stream
      UInt         n_places;
      NodePlace    places[DCFG_MAX_PLACES];
      UInt         n_last_places;
      NodePlace    last_places[DCFG_MAX_PLACES];  // nodes where the thread may
                                                  // have ended
      VgHashTable* versions;    // versions of changed code, see tool/trace/replay.c
      struct _Version** version_of;   // for each of .w->changing, its element
                                      // of .versions once asked for
   }
   Walk;

/* Start a walk along THREAD, which has run and is traced.  The program's
   threads must not run while there is a walk. */
Walk* DCFG_(new_walk)(const Ways* w, UInt thread);
void  DCFG_(delete_walk)(Walk* k);

/* Move to .rec's landmark number I, from 0, to read a part of the walk from
   there.  Return False, and stay, if that is not possible. */
Bool DCFG_(skip_in_walk)(Walk* k, UInt i);

/* Return the next edge: first ENTRY, then each counted edge whose source has
   several counted out-edges.  The edges between follow from the graph.  Return
   0 at the end, or if the walk makes no sense.  Then the tool or the spool file
   has an error: it is reported, and .failed is set. */
UInt DCFG_(step_walk)(Walk* k);

/* Take WAY, which was just read from .reader, to the next decision. */
void DCFG_(take_way)(Walk* k, const Way* way);

#endif
