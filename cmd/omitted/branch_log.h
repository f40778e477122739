/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Instances of branches. */

#ifndef DCFG_CMD_BRANCH_LOG_H
#define DCFG_CMD_BRANCH_LOG_H

/* Private to the room omitted/. */

#include "cmd/omitted/sides.h"

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

/* Read the trace in FILE once and return a log of the branches of STORES,
   and of other branches if that takes little memory.  EXECUTED has, by
   instruction, the number of its instances.  Return NULL if the trace cannot
   be read again. */
BranchLog* branch_log_new(const StaticCode* c, const char* file,
                          const Wants* wants, const SideStores* stores,
                          const uint64_t* executed);
/* Return whether L has the branches of STORES. */
bool       branch_log_has(const BranchLog* l, const Wants* wants,
                          const SideStores* stores);
void       branch_log_free(BranchLog* l);

/* Return whether there were more instances than L keeps. */
bool branch_log_is_bounded(const BranchLog* l);

/* Return the last instance of NODE before ORDER; NULL if none is kept. */
const LogEntry* branch_log_before(const BranchLog* l, uint32_t node,
                                  uint64_t order);

/* Return the entry of the same node before ENTRY, or NULL. */
const LogEntry* branch_log_previous(const BranchLog* l, uint32_t node,
                                    const LogEntry* entry);

/* Return whether the sides of branch NODE had met again before ORDER, after
   its instance ENTRY. */
bool branch_log_is_over(const BranchLog* l, uint32_t node,
                        const LogEntry* entry, uint64_t order);

/* Return the call frame address of ACTIVATION; 0 if it is not known. */
uint64_t branch_log_frame(const BranchLog* l, uint32_t activation);

#endif /* DCFG_CMD_BRANCH_LOG_H */
