/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sides of branches: wanted locations, stores to them, instances of branches. */

#ifndef DCFG_CMD_SIDES_H
#define DCFG_CMD_SIDES_H

/* Private to the room omitted/. */

#include "cmd/program/code_graph.h"

#include "lib/dcfg_slice.h"

/*--- Wanted locations                                     ---*/

/* Want: a location that a node of the slice used, and that no instance wrote
   between .from and .to. */
typedef
   struct {
      uint32_t node;            // the user
      uint32_t at;              // its node in the code; NO_NODE: a library's
      bool     memory;
      bool     asked;           // the criterion asks for it
      bool     based;           // the user addressed it by a register other
                                // than its frame's
      uint64_t place, size;     // memory, or a general register
      int64_t  offset;          // in .at's frame, or from the register
      bool     in_frame;        // the user addressed it by its frame
      uint64_t from, to;        // .order of the writer, and of the user
      uint32_t distance;
   }
   Want;

typedef
   struct {
      Want*  all;               // the nearest first
      size_t n, room;
      bool   bounded;
      bool   vectors;           // vector or x87 registers held values, too
   }
   Wants;

/* Return the locations that the N NODES of SLICE used.  NODES may be NULL: all
   nodes.  SLICE is the answer to Q.  The caller frees .all. */
Wants wants_find(const StaticCode* code, const DcfgSlice* slice,
                 const DcfgSliceQuery* q, const uint32_t* nodes, size_t n);

/* Set *OFFSET to the distance of operand M of node N from the call frame
   address, in bytes.  Return false if M is not in the frame, or if that is
   not known. */
bool operand_in_frame(const StaticCode* code, uint32_t n,
                      const MemoryOperand* m, int64_t* offset);

/*--- Stores on sides                                      ---*/

/* SideStore: an instruction that writes a wanted location, on one side of a
   branch or in a function that is called there. */
typedef
   struct {
      uint32_t branch;          // this, .side, .store, .call: nodes
      uint32_t side;            // successor of .branch that begins the side
      uint32_t store;
      uint32_t call;            // call that leads to .store; or NO_NODE
      uint32_t want;
      bool     sure;            // control at .side certainly comes to .store
      bool     turn;            // .side leads back to .branch: another
                                // iteration of a loop
      bool     located;         // .store certainly writes the wanted place
      bool     in_frame;        // or does so if .offset in its frame is there
      int64_t  offset;
   }
   SideStore;

typedef
   struct {
      SideStore* all;
      size_t     n, room;
      const char* bounded;      // NULL, or in words the part that was
                                // searched
   }
   SideStores;

/* Return the stores to WANTS on the sides of executed branches.  The caller
   frees .all. */
SideStores side_stores_find(const StaticCode* code, const Wants* wants);

/*--- Instances of branches, in branch_log.c               ---*/

#define NO_ACTIVATION UINT32_MAX

/* LogEntry: an instance of a node. */
typedef
   struct {
      uint64_t order, instance;
      uint32_t activation;      // or NO_ACTIVATION
      uint32_t taken;           // the successor that a branch went to,
                                // or NO_NODE
   }
   LogEntry;

/* BranchLog: instances of branches, of the nodes where their sides meet, and
   of users of registers. */
typedef struct BranchLog BranchLog;

/* Read CODE's trace once and return a log of the branches of STORES, and of
   other branches if that takes little memory.  EXECUTED has, by instruction,
   the number of its instances.  Return NULL if the trace cannot be read
   again. */
BranchLog* branch_log_new(const StaticCode* code, const Wants* wants,
                          const SideStores* stores, const uint64_t* executed);
/* Return whether BRANCHES has the branches of STORES. */
bool       branch_log_has(const BranchLog* branches, const Wants* wants,
                          const SideStores* stores);
void       branch_log_free(BranchLog* branches);

/* Return whether there were more instances than BRANCHES keeps. */
bool branch_log_is_bounded(const BranchLog* branches);

/* Return the last instance of NODE before ORDER; NULL if none is kept. */
const LogEntry* branch_log_before(const BranchLog* branches, uint32_t node,
                                  uint64_t order);

/* Return the entry of the same node before ENTRY, or NULL. */
const LogEntry* branch_log_previous(const BranchLog* branches, uint32_t node,
                                    const LogEntry* entry);

/* Return whether the sides of branch NODE had met again before ORDER, after
   its instance ENTRY. */
bool branch_log_is_over(const BranchLog* branches, uint32_t node,
                        const LogEntry* entry, uint64_t order);

/* Return the call frame address of ACTIVATION; 0 if it is not known. */
uint64_t branch_log_frame(const BranchLog* branches, uint32_t activation);

#endif /* DCFG_CMD_SIDES_H */
