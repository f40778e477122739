/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Diversions. */

#ifndef __DCFG_DIVERSION_H
#define __DCFG_DIVERSION_H

#include "pub_tool_basics.h"
#include "dcfg_bb.h"

typedef
   enum {
      DivertSignal,      // a handler begins
      DivertSigreturn,   // a handler's frame is left
      DivertRestart,     // a system call is made again
      DivertBypass,      // not a flow: bypasses a handler
      DivertExcluded     // the code between was not collected
   }
   DivertKind;

/* Diversion: control that did not go where the superblock's code sent it. */
typedef
   struct {
      UInt       thread;
      Position   from;
      DivertKind kind;
      Target     to;
      ULong      count;
   }
   Diversion;

/* Site: an instruction of a superblock; .sb is 0: none. */
typedef
   struct {
      UInt sb;
      UInt k;
   }
   Site;

/* LateReturn: a handler that interrupted a thread behind FROM in an earlier
   part of the run has returned to TO. */
typedef
   struct {
      Site   from;
      Target to;
   }
   LateReturn;

/* Return the number of late returns in this part, and number I. */
UInt              DCFG_(n_late_returns)(void);
const LateReturn* DCFG_(late_return)(UInt i);

/* Let late returns be from the superblocks that RENAMED() returns for theirs. */
void DCFG_(rename_late_returns)(UInt (*renamed)(UInt id));

/* Superblock TO takes over the diversions of THREAD from superblock FROM, which
   no thread was diverted from then. */
void DCFG_(move_diversions)(UInt thread, UInt from, UInt to);

/* Call DO_IT for each diversion of THREAD from superblock SB. */
void DCFG_(each_diversion)(UInt thread, UInt sb,
                           void (*do_it)(void* arg, const Diversion* d),
                           void* arg);

#endif /* __DCFG_DIVERSION_H */
