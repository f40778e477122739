/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The mirror: memory that foretells loads. */

/* Private to wet/. */

#ifndef __DCFG_MIRROR_H
#define __DCFG_MIRROR_H

#include "pub_tool_basics.h"
#include "format/wet_mirror.h"
#include "tool/wet/slots.h"

/* The mirror, which generated code reads and writes.  An array, not a pointer:
   its address is a constant that fits into an instruction. */
extern UChar DCFG_(mirror)[WET_MIRROR + WET_MIRROR_MORE];

/* Missed: a load that found another number than the mirror had. */
typedef
   struct {
      const ULong* header;   // the place of its superblock's header
      UInt   load;           // its number among the loads of the superblock
      UInt   size;           // in bytes
      ULong  error;          // how far the mirror was off
      UChar* at;             // its place in the mirror
   }
   Missed;

/* Note that load number LOAD, of the superblock with HEADER, has found NOW, which
   has SIZE bytes and is not the number at AT in the mirror.  Let the mirror have
   it. */
void DCFG_(add_missed)(const ULong* header, UInt load, UInt size, UChar* at,
                       ULong now);

/* Forget missed loads whose header is not before CURSOR, from number LOAD of their
   superblock on; the mirror becomes what it was before them. */
void DCFG_(undo_missed)(const ULong* cursor, UInt load);

/* Return the missed loads in their order; *END is behind the last one.  Then
   forget all. */
const Missed* DCFG_(missed_loads)(/*OUT*/const Missed** end);
void DCFG_(forget_missed)(void);

/* Set the mirror to 0. */
void DCFG_(clear_mirror)(void);

#endif /* __DCFG_MIRROR_H */
