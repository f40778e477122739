/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The registers that readers of values follow. */

/* Private to wet/. */

#ifndef __DCFG_WET_REGISTERS_H
#define __DCFG_WET_REGISTERS_H

#include "pub_tool_basics.h"
#include "tool/wet/slots.h"

/* Registers are those of format/wet_code.h: general ones, words of vector
   registers, and the rounding mode.  Return the size of register R in bytes, or
   0 if the processor has none with this number; and its offset in the guest
   state. */
UInt DCFG_(register_size)(UInt r);
Int  DCFG_(register_offset)(UInt r);

/* Read all registers of the running thread.  TO has room for WET_REGISTERS
   numbers; other numbers become 0. */
void DCFG_(read_registers_told)(/*OUT*/ULong* to);

/* Begin a superblock: no register has changed.  Called behind
   begin_numbers(). */
void DCFG_(begin_registers)(void);

/* Return the number of the N bytes at OFFSET of the guest state, or -1 if they
   are no part of one register. */
Int DCFG_(get_guest)(Int offset, UInt n);

/* Note that the N bytes at OFFSET of the guest state have this NUMBER, or
   unknown contents. */
void DCFG_(put_guest)(Int offset, UInt n, Int number);
void DCFG_(forget_guest)(Int offset, UInt n);

/* Return the next register, from R on, that changed since it was told last; or
   WET_REGISTERS. */
UInt DCFG_(changed_register)(UInt r);

/* Register R is told: as find_number(), for its present number. */
Bool DCFG_(find_register)(UInt r, /*MOD*/Slot* slot);

/* Note that slot number S has the present number of register R. */
void DCFG_(set_register)(UInt r, UInt s);

#endif /* __DCFG_WET_REGISTERS_H */
