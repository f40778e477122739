
/*--------------------------------------------------------------------*/
/*--- Diversions.                                  run/diversion.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
