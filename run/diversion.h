/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Diversions. */

#ifndef __DCFG_DIVERSION_H
#define __DCFG_DIVERSION_H

#include "pub_tool_basics.h"
#include "dcfg_bb.h"

typedef
   enum {
      DivertSignal,      // a handler is entered
      DivertSigreturn,   // a handler's frame is left
      DivertRestart,     // a system call is made again
      DivertBypass,      // no flow: joins where a handler came between
      DivertExcluded     // what came between was not collected
   }
   DivertKind;

/* Control that did not go where the superblock's code sent it. */
typedef
   struct {
      UInt       thread;
      Position   from;
      DivertKind kind;
      Target     to;
      ULong      count;
   }
   Diversion;

/* An instruction of a superblock.  .sb is 0: there is none. */
typedef
   struct {
      UInt sb;
      UInt k;
   }
   Site;

/* A handler that interrupted a thread behind FROM, in an earlier part of the
   run, has returned to TO. */
typedef
   struct {
      Site   from;
      Target to;
   }
   LateReturn;

/* Those of this part. */
UInt              DCFG_(n_late_returns)(void);
const LateReturn* DCFG_(late_return)(UInt i);

/* Call DO_IT with each diversion of THREAD from superblock SB. */
void DCFG_(each_diversion)(UInt thread, UInt sb,
                           void (*do_it)(void* arg, const Diversion* d),
                           void* arg);

#endif /* __DCFG_DIVERSION_H */
