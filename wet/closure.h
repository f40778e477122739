/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Code that was not executed. */

/* Private to wet/. */

#ifndef __DCFG_CLOSURE_H
#define __DCFG_CLOSURE_H

#include "pub_tool_basics.h"
#include "pub_tool_xarray.h"

/* An instruction. */
typedef
   struct {
      Addr  addr;
      UInt  image;
      UChar len;
      UChar kind;           // of arch/insn.h
      UChar code[16];
   }
   Unexecuted;

/* Code in the LEN bytes at A is about to go: look at it now. */
void DCFG_(close_code)(Addr a, SizeT len);

/* All that direct conditional branches of executed code lead to and that was
   never translated: followed up to a return, an indirect jump, what cannot be
   decoded, or another function's symbol.  In order of image and address; the
   caller deletes it. */
XArray* DCFG_(unexecuted_code)(void);

/* The same, in no order, of superblocks from FIRST on, without what it has told
   before.  Some may have been executed. */
XArray* DCFG_(new_unexecuted_code)(UInt first);

/* Forget what was seen by DCFG_(close_code). */
void DCFG_(forget_closed_code)(void);

#endif /* __DCFG_CLOSURE_H */
