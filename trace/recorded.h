
/*--------------------------------------------------------------------*/
/*--- What an instruction adds to the record.     trace/recorded.h ---*/
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

/* Private to trace/. */

#ifndef __DCFG_RECORDED_H
#define __DCFG_RECORDED_H

#include "dcfg_bb.h"

/* What an execution of an instruction adds to the record that a trace is
   made from. */
typedef
   enum {
      RecordNothing,     // where it leads is known
      RecordBit,
      RecordTarget       // the address
   }
   InsnRecord;

/* What each execution of SB's instruction K adds to the record.  The same
   for all superblocks that have it, whatever VEX made of it there. */
InsnRecord DCFG_(recorded)(const Superblock* sb, UInt k);

/* The bit that an instruction of this KIND at ADDR, LEN bytes long, records
   when it leads to TARGET: does a branch leave its fall-through, does REP go
   on?  What else records a bit always records 1. */
Bool DCFG_(bit_of_way)(InsnKind kind, Addr addr, UInt len, Addr target);

#endif /* __DCFG_RECORDED_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
