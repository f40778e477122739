/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The registry of superblocks. */

#ifndef __DCFG_BB_H
#define __DCFG_BB_H

#include "pub_tool_basics.h"
#include "tool/arch/insn.h"
#include "tool/run/cells.h"

/* ExitCounting: how a side exit is counted. */
typedef
   enum {
      ExitBefore,   // its counter has how often it was taken
      ExitAfter     // its counter has how often it was passed
   }
   ExitCounting;

typedef
   struct {
      Addr   target;
      CellNo cell;
      UShort instr;      // index of the instruction that has the exit
      UChar  counting;   // ExitCounting
   }
   SbExit;

/* SbEnd: how a superblock ends if it takes no side exit. */
typedef
   enum {
      EndDirect,    // at .next
      EndIndirect   // at the target of .branch
   }
   SbEnd;

/* Pair: a superblock's indirect branch and a target that it has had, in any
   thread. */
typedef
   struct _Pair {
      struct _Pair* hash_next;   // VgHashNode
      UWord         hash_key;
      struct _Pair* next;        // next pair of the same superblock
      struct _Pair* older;       // next older pair of all superblocks
      UInt          sb;
      Addr          target;
      CellNo        cell;
   }
   Pair;

/* Sizes of inline caches of an indirect branch: 4^level entries. */
#define DCFG_CACHE_LEVELS 6

/* Branch: an indirect branch at the end of a superblock. */
typedef
   struct {
      Pair*  first_pair;
      UInt   n_pairs;
      CellNo site;       // the first of its slots, see below
      CellNo caches[DCFG_CACHE_LEVELS];
   }
   Branch;

/* Superblock: one superblock as VEX translated it, without guest chasing. It is
   straight code; side exits are rare except at the last instruction. (VEX also
   goes on behind a `jrcxz`.)  If a superblock is translated again, it keeps its
   record and counters. */
typedef
   struct _Superblock {
      struct _Superblock* hash_next;   // VgHashNode
      UWord        hash_key;           // hash of .entry and .image
      UInt         id;                 // from 1 up
      UInt         next_of_image;      // .id of the next one with this .image,
                                       // or 0
      Addr         entry;    // the address that was jumped to
      Addr         addr;     // the address of the code that ran: differs from
                             // .entry for a redirection
      UInt         image;    // also tells the code's version, see image_of;
                             // DCFG_NO_IMAGE: it waits, see tool/run/generation.c
      UInt         versions[2];  // versions of .entry that run it, [1] past
                                 // redirections; or DCFG_NO_VERSION
      UShort       n_instrs;
      UShort       n_exits;
      UChar        end;      // SbEnd
      Bool         unredirected; // its end ignores redirections
      Bool         diverted; // some thread was diverted from here
      CellNo       started;  // counts completions of the first instruction; 0:
                             // they are the sum of the counters that follow
      UInt         past;     // while a generation ends: its past, see
                             // new_past(), or DCFG_PAST_IF_NEEDED; else 0
      Addr         next;     // EndDirect
      Branch*      branch;   // EndIndirect
      /* One for each instruction, and one for each exit: */
      UChar*       lengths;
      UChar*       kinds;    // InsnKind
      SbExit*      exits;
   }
   Superblock;

/* Slots at Branch.site: see tool/run/branch.c. */
enum {
   SiteMask   = 0,     // mask for the index, in bytes
   SiteCache  = 1,     // offset of the table in the thread's array, or 0
   SiteEntry  = 2,     // the first table: one entry of two slots
   SiteMisses = 4,
   N_SITE_SLOTS = 5
};

/* Claim N bytes in each superblock's record for the fields of an output; they
   begin as zeros.  Return their offset from the record's start.  Call this
   before there is any superblock. */
SizeT DCFG_(claim_fields)(SizeT n);

/* Return the record of the superblock that SB describes: an equal one that is
   known, or a new one with counters.  SB has set .entry .addr .image .n_instrs
   .n_exits .end .unredirected .next .lengths .kinds, and of its exits .target
   .instr .counting.  NEED_STARTED: the record gets a .started counter. */
Superblock* DCFG_(register_superblock)(const Superblock* sb,
                                       Bool need_started);

/* Return a superblock that runs SB's code at SB's entry and to which a jump of
   this kind has led, or NULL. */
const Superblock* DCFG_(landed_superblock)(const Superblock* sb,
                                           Bool unredirected);

/* The generation of IMAGE ends: its superblocks may get pasts. */
#define DCFG_PAST_IF_NEEDED 0xFFFFFFFFu
void DCFG_(expect_pasts)(UInt image);

/* Make a past of SB: a second record, which takes over SB's pairs, and has
   counters of its own that are zero.  No code counts in it. */
Superblock* DCFG_(new_past)(Superblock* sb);

/* Take all superblocks out of IMAGE: return the first one; .next_of_image leads
   to the others.  They have no image and no past. */
UInt DCFG_(empty_image)(UInt image);

/* Put SB, which has no image, into IMAGE. */
void DCFG_(join_image)(Superblock* sb, UInt image);

/* Return the number of superblocks, and the superblock ID, counted from 1. */
UInt        DCFG_(n_superblocks)(void);
Superblock* DCFG_(superblock)(UInt id);

/* Return the superblock of IMAGE that was registered next after AFTER, or first
   if AFTER is 0; 0 if there is none. */
UInt DCFG_(next_of_image)(UInt image, UInt after);

/* Call IS_IT for each counter of SB until it returns True.  Return whether it
   did. */
Bool DCFG_(any_counter)(const Superblock* sb,
                        Bool (*is_it)(void* arg, CellNo no), void* arg);

/* Return the address of SB's instruction K. */
Addr DCFG_(instr_addr)(const Superblock* sb, UInt k);

/* Return the index of SB's instruction at address A, if that is not the first;
   else 0. */
UInt DCFG_(inner_instr)(const Superblock* sb, Addr a);

/* Return the pair of SB's indirect branch and TARGET.  If there is none,
   find_pair() returns NULL, and pair() makes one. */
Pair* DCFG_(find_pair)(const Superblock* sb, Addr target);
Pair* DCFG_(pair)(Superblock* sb, Addr target);

/* Leading: whether to ask about a superblock again: yes; only if its image
   comes back (see lead_again); never. */
typedef
   enum {
      LeadsStill,
      LeadsIfBack,
      LeadsNoMore
   }
   Leading;

/* Call DO_IT for each superblock that can lead to TARGET.  DO_IT may be called
   more than once for a superblock, until it returns LeadsNoMore. The first call
   takes time for each superblock; later ones only for new superblocks. */
void DCFG_(each_leading_to)(Addr target,
                            Leading (*do_it)(void* arg,
                                             const Superblock* sb),
                            void* arg);

/* The code of IMAGE can run again: superblocks for which DO_IT returned
   LeadsIfBack lead to their targets again. */
void DCFG_(lead_again)(UInt image);

/* Target: an address that control goes to, with the version of the code there.
   Versions are numbered from 0 in the order in which they ran first.  A jump
   that is "unredirected" goes past Valgrind's redirection: code that wraps a
   function calls the original in this way. */
typedef
   struct {
      Addr addr;
      UInt version;
      Bool unredirected;
   }
   Target;

/* Position: where a thread stands.  If .n_done is 0, it is behind superblock
   .sb (0: before its first one), which it left for .target.  Otherwise it is
   inside .sb, with .n_done instructions completed, at .target.addr. */
typedef
   struct {
      UInt   sb;
      UInt   n_done;
      Target target;
   }
   Position;

/* No version; for a landing, the version that would run now. */
#define DCFG_NO_VERSION 0xFFFFFFFFu
#define DCFG_PRESENT    0xFFFFFFFEu

/* The image of excluded code, which has no record, for land_here() and
   others. */
#define DCFG_NO_IMAGE 0xFFFFFFFFu

#endif /* __DCFG_BB_H */
