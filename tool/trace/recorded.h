/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The rule of what an instruction records. */

/* Private to trace/. */

#ifndef __DCFG_RECORDED_H
#define __DCFG_RECORDED_H

#include "dcfg_bb.h"

/* InsnRecord: what an execution of an instruction adds to the record. */
typedef
   enum {
      RecordNothing,     // its target is known
      RecordBit,
      RecordTarget       // the target's address
   }
   InsnRecord;

/* Return what each execution of SB's instruction K adds to the record.  The
   result is the same for all superblocks with that instruction. */
InsnRecord DCFG_(recorded)(const Superblock* sb, UInt k);

/* Return the bit that an instruction of this KIND at ADDR, LEN bytes long,
   records when it goes to TARGET.  For a branch: is it not the next
   instruction? For REP: is it repeated?  Other instructions always record 1. */
Bool DCFG_(bit_of_way)(InsnKind kind, Addr addr, UInt len, Addr target);

#endif /* __DCFG_RECORDED_H */
