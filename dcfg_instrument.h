
/*--------------------------------------------------------------------*/
/*--- The code that counts.                      dcfg_instrument.h ---*/
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

#ifndef __DCFG_INSTRUMENT_H
#define __DCFG_INSTRUMENT_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"

/* Where in the first shadow of the guest state the base of the running
   thread's cell array stands. */
#define DCFG_SHADOW_OFFSET 0
/* A place there for what is only written. */
#define DCFG_SHADOW_UNUSED 8

/* The mark in cell CellMark: which superblock the thread last ran (0:
   none), whether that one says it has come to its end, and whether the
   thread was diverted since (set by dcfg_thread.c). */
#define DCFG_MARK(id)         ((UWord)(id) << 2)
#define DCFG_MARK_ID(mark)    ((UInt)((mark) >> 2))
#define DCFG_MARK_DONE        1u
#define DCFG_MARK_DIVERTED    2u

/* Fix what of VEX's settings counting depends on. */
void DCFG_(set_vex_control)(void);

IRSB* DCFG_(instrument)(VgCallbackClosure* closure, IRSB* sbIn,
                        const VexGuestLayout* layout,
                        const VexGuestExtents* vge,
                        const VexArchInfo* archinfo_host,
                        IRType gWordTy, IRType hWordTy);

#endif /* __DCFG_INSTRUMENT_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
