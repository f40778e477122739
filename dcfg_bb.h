/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The registry of superblocks. */

#ifndef __DCFG_BB_H
#define __DCFG_BB_H

#include "pub_tool_basics.h"
#include "arch/insn.h"
#include "run/cells.h"

/* How an exit in the middle of a superblock is counted. */
typedef
   enum {
      ExitBefore,   // its cell counts the times it was taken
      ExitAfter     // its cell counts the times it was passed by
   }
   ExitCounting;

typedef
   struct {
      Addr   target;
      CellNo cell;
      UShort instr;      // index of the instruction that leaves
      UChar  counting;   // ExitCounting
   }
   SbExit;

/* How a superblock ends when no side exit is taken. */
typedef
   enum {
      EndDirect,    // at .next
      EndIndirect   // wherever the branch leads: see .branch
   }
   SbEnd;

/* A target that an indirect branch has had, in any thread. */
typedef
   struct _Pair {
      struct _Pair* hash_next;   // VgHashNode
      UWord         hash_key;
      struct _Pair* next;        // of the same superblock
      struct _Pair* older;       // of all
      UInt          sb;
      Addr          target;
      CellNo        cell;
   }
   Pair;

/* Inline caches of an indirect branch come in sizes of 4^level entries. */
#define DCFG_CACHE_LEVELS 6

/* An indirect branch that ends a superblock. */
typedef
   struct {
      Pair*  first_pair;
      UInt   n_pairs;
      CellNo site;       // slots, see below
      CellNo caches[DCFG_CACHE_LEVELS];
   }
   Branch;

/* One superblock as VEX translated it, with guest chasing off: straight
   code whose side exits are rare but for the last instruction's.  (VEX
   goes on behind a `jrcxz`.)  A superblock that is translated again keeps
   its record and counters. */
typedef
   struct _Superblock {
      struct _Superblock* hash_next;   // VgHashNode
      UWord        hash_key;           // of .entry and .image
      UInt         id;                 // from 1 up
      Addr         entry;    // the address that was jumped to ...
      Addr         addr;     // ... and, where redirected, what ran for it
      UInt         image;    // which also tells the code, see image_of
      UInt         versions[2];  // of .entry, that run it: [1] past
                                 // redirections; or DCFG_NO_VERSION
      UShort       n_instrs;
      UShort       n_exits;
      UChar        end;      // SbEnd
      Bool         unredirected; // its end ignores redirections
      Bool         diverted; // some thread has a Diversion from here
      CellNo       started;  // counts those whose first instruction
                             // completed; 0: the sum of what follows
      Addr         next;     // EndDirect
      Branch*      branch;   // EndIndirect
      /* .n_instrs of each, and .n_exits: */
      UChar*       lengths;
      UChar*       kinds;    // InsnKind
      SbExit*      exits;
   }
   Superblock;

/* Slots at Branch.site; see run/branch.c. */
enum {
   SiteMask   = 0,     // what to take of the index, in bytes
   SiteCache  = 1,     // offset of the table from the array's base, or 0
   SiteEntry  = 2,     // the first table: one entry, two slots
   SiteMisses = 4,
   N_SITE_SLOTS = 5
};

/* Room for N bytes of an output's own in each superblock's record, zeros at
   first: the offset from the record's start.  To be asked for before there
   is any superblock. */
SizeT DCFG_(claim_fields)(SizeT n);

/* The record of the superblock SB describes (in .entry .addr .image
   .n_instrs .n_exits .end .unredirected .next .lengths .kinds
   .exits[].target .instr .counting): an equal one known already, or a
   new one with cells.  NEED_STARTED asks for a .started cell. */
Superblock* DCFG_(register_superblock)(const Superblock* sb,
                                       Bool need_started);

/* Superblocks by id, 1 .. n_superblocks. */
UInt        DCFG_(n_superblocks)(void);
Superblock* DCFG_(superblock)(UInt id);

/* Ask IS_IT of each counter that SB has, until it is one. */
Bool DCFG_(any_counter)(const Superblock* sb,
                        Bool (*is_it)(void* arg, CellNo no), void* arg);

/* Where SB's instruction K stands. */
Addr DCFG_(instr_addr)(const Superblock* sb, UInt k);

/* The index of SB's instruction at A, if it is one behind the first;
   else 0. */
UInt DCFG_(inner_instr)(const Superblock* sb, Addr a);

/* The pair of this superblock's indirect end and TARGET: NULL if there is
   none so far, or made then. */
Pair* DCFG_(find_pair)(const Superblock* sb, Addr target);
Pair* DCFG_(pair)(Superblock* sb, Addr target);

/* Is a superblock asked about again: yes, only if its image comes back (see
   lead_again), or never? */
typedef
   enum {
      LeadsStill,
      LeadsIfBack,
      LeadsNoMore
   }
   Leading;

/* Call DO_IT for each superblock that can lead to TARGET, for some of them
   more than once; but not again if it says so.  The first call takes
   time for each superblock that there is, later ones for those that are
   new. */
void DCFG_(each_leading_to)(Addr target,
                            Leading (*do_it)(void* arg,
                                             const Superblock* sb),
                            void* arg);

/* Code of IMAGE, which could not, can run again: those of its superblocks
   for which DO_IT returned LeadsIfBack lead where they led. */
void DCFG_(lead_again)(UInt image);

/* A target of jumps, and which of the codes that ran there is meant: they
   are numbered as they came to run first, from 0 up.  Code that wraps a
   function jumps past the redirection that leads to itself. */
typedef
   struct {
      Addr addr;
      UInt version;
      Bool unredirected;
   }
   Target;

/* Where a thread stood: behind superblock SB (0: before its first one),
   having left it for TARGET; or, if N_DONE is not 0, within SB, with that
   many instructions completed, at the one at TARGET.addr. */
typedef
   struct {
      UInt   sb;
      UInt   n_done;
      Target target;
   }
   Position;

/* ADDR with what would run there now. */
Target DCFG_(target_now)(Addr addr, Bool unredirected);

/* No version. */
#define DCFG_NO_VERSION 0xFFFFFFFFu

/* Has ADDR had more than one? */
Bool DCFG_(has_versions)(Addr addr, Bool unredirected);

/* What runs there: the address differs where Valgrind redirects the
   target.  Returns False if nothing ever did, or what is left out
   (run/exclude.h). */
Bool DCFG_(landing)(Target t, /*OUT*/Addr* addr, /*OUT*/UInt* image);

/* In place of the image, for land_here() and the like, of code that is left
   out, which has no record. */
#define DCFG_NO_IMAGE 0xFFFFFFFFu

/* The target that runs SB, which has run. */
Target DCFG_(target_of)(const Superblock* sb);

/* From now on a jump to SB's .entry runs SB.  Until then it ran other
   code if lands_elsewhere() says so. */
Bool DCFG_(lands_elsewhere)(const Superblock* sb, Bool unredirected);
void DCFG_(land_here)(Superblock* sb, Bool unredirected);

/* Number of superblocks, and of steps from them, that were looked at because
   code changed, for --stats=yes.  A new version of some code adds as many as
   the version before it. */
extern ULong DCFG_(n_looks);

/* Does every jump that ran SB run other code now? */
Bool DCFG_(is_replaced)(const Superblock* sb);

#endif /* __DCFG_BB_H */
