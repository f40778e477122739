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
      const ULong* header;   // of its superblock's execution, on the tape
      UInt   load;           // its number among the loads of the superblock
      UInt   size;           // in bytes
      ULong  error;          // how far the mirror was off
      UChar* at;             // its place in the mirror
   }
   Missed;

/* Note that NOW was loaded, which is not the number at AT in the mirror, and
   let the mirror have it.  Called by generated code.  WHAT is missed_load(). */
void DCFG_(load_missed)(UWord at, UWord what, ULong now);

/* Return what load_missed() is told of load number LOAD of a superblock, which
   has SIZE bytes.  MOVED: the cursor is behind the superblock's header. */
static inline UWord DCFG_(missed_load)(UInt load, UInt size, Bool moved)
{
   return (UWord)load << 5 | (UWord)moved << 4 | size;
}

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
