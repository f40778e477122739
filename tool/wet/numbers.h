/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers that a superblock computes with. */

/* Private to wet/. */

#ifndef __DCFG_NUMBERS_H
#define __DCFG_NUMBERS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "tool/wet/slots.h"

/* Begin a superblock, whose terms are added to SLOTS.  Numbers are counted
   from 0. */
void DCFG_(begin_numbers)(NewSlots* slots);

/* Return a new number of SIZE bytes: one that no operation gives; one that was
   loaded, word WORD of temporary TEMP; the constant C; the one that register R
   had when the superblock began. */
Int DCFG_(unknown_number)(UInt size);
Int DCFG_(loaded_number)(UInt size, IRTemp temp, UInt word);
Int DCFG_(constant_number)(ULong c, UInt size);
Int DCFG_(register_number)(UInt r, UInt size);

/* Return the number that is operation TERM of A and B, or of A and the constant
   C.  It has SIZE bytes, and above them 0. */
Int DCFG_(number_of_two)(UInt term, Int a, Int b, UInt size);
Int DCFG_(number_by_constant)(UInt term, Int a, ULong c, UInt size);

/* If readers can compute N, set where SLOT finds it, and return True.  Terms
   that it needs become slots of the same instruction. */
Bool DCFG_(find_number)(Int n, /*MOD*/Slot* slot);

/* If N is a result of floating point which readers could compute if they knew one
   loaded number, return that one; *TEMP and *WORD are as for loaded_number().
   Else return -1. */
Int DCFG_(lacking_load)(Int n, /*OUT*/IRTemp* temp, /*OUT*/UInt* word);

/* Note that slot number S has all bytes of N, and 0 above them. */
void DCFG_(name_number)(Int n, UInt s);

#endif /* __DCFG_NUMBERS_H */
