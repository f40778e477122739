/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers of a superblock that readers can compute. */

/* Private to wet/. */

#ifndef __DCFG_TERMS_H
#define __DCFG_TERMS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "tool/wet/slots.h"

/* Note that slot number S has all bytes of N, and 0 above them. */
void DCFG_(name_number)(Int n, UInt s);

/* Registers are those of format/wet_code.h: general ones, words of vector
   registers, and the rounding mode.  Return the size of register R in bytes, or
   0 if the processor has none with this number; and its offset in the guest
   state. */
UInt DCFG_(register_size)(UInt r);
Int  DCFG_(register_offset)(UInt r);

/* Read all registers of the running thread.  TO has room for WET_REGISTERS
   numbers; other numbers become 0. */
void DCFG_(read_registers_told)(/*OUT*/ULong* to);

/* Return the next register, from R on, that changed since it was told last; or
   WET_REGISTERS. */
UInt DCFG_(changed_register)(UInt r);

/* Register R is told: as find_number(), for its present number. */
Bool DCFG_(find_register)(UInt r, /*MOD*/Slot* slot);

/* Note that slot number S has the present number of register R. */
void DCFG_(set_register)(UInt r, UInt s);

struct _Work;         // the superblock in translation: tool/run/ir.h

/* Begin a superblock, which adds terms to SLOTS. */
void DCFG_(begin_terms)(const struct _Work* w, NewSlots* slots);

/* Note ST, a statement of W->out: the temporary or register that it writes. */
void DCFG_(note_term)(const struct _Work* w, const IRStmt* st);

/* If readers can compute the number of E, which is not constant, set where SLOT
   finds it, and return True.  Terms that it needs become slots of the same
   instruction. */
Bool DCFG_(find_term)(const struct _Work* w, const IRExpr* e,
                      /*MOD*/Slot* slot);

/* LackingLoad: a number that was loaded, which readers lack: word WORD of
   temporary TEMP.  Slot number ACCESS has the address. */
typedef
   struct {
      Int    number;
      IRTemp temp;
      UInt   word, size;
      UInt   access;
   }
   LackingLoad;

/* Note that temporary T was loaded, and that slot number S has the address. */
void DCFG_(note_load)(IRTemp t, UInt s);

/* If readers could compute the number of E, or of register R, if they knew some
   that were loaded, tell one of these, and return True. */
Bool DCFG_(lacking_term)(const struct _Work* w, const IRExpr* e,
                         /*OUT*/LackingLoad* load);
Bool DCFG_(lacking_register)(UInt r, /*OUT*/LackingLoad* load);

/* Make SLOT the store of E, of SIZE bytes, to the mirror; its address is not
   set.  Return False if readers do not have E as a slot,
   or there are too many. */
Bool DCFG_(store_operand)(const struct _Work* w, const IRExpr* e, UInt size,
                          /*MOD*/Slot* slot);

/* Note that slot number S has all bytes of E, and 0 above them. */
void DCFG_(set_term)(const struct _Work* w, const IRExpr* e, UInt s);

#endif /* __DCFG_TERMS_H */
