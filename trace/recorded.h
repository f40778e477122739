/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What an instruction adds to the record. */

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
