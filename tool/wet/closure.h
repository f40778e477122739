/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The static closure: code that was not executed. */

/* Private to wet/. */

#ifndef __DCFG_CLOSURE_H
#define __DCFG_CLOSURE_H

#include "pub_tool_basics.h"
#include "pub_tool_xarray.h"

/* Unexecuted: an instruction that was not executed.  Large programs have
   millions. */
typedef
   struct {
      Addr  addr;
      UInt  image;
      UChar len;
      UChar kind;           // an InsnKind
      Bool  gone;           // is its code no longer in memory?
   }
   Unexecuted;

/* Return the bytes of U, until code runs again. */
const UChar* DCFG_(code_of)(const Unexecuted* u);

/* Follow the branches of the LEN bytes of code at A, which are about to go. */
void DCFG_(close_code)(Addr a, SizeT len);

/* Return the code that direct conditional branches of executed code reach and
   that was never translated.  It is followed up to a return, an indirect jump,
   bytes that are no instruction, or another function's symbol.  Sorted by image
   and address; the caller deletes it. */
XArray* DCFG_(unexecuted_code)(void);

/* Likewise, not sorted, for superblocks from FIRST on, without what it has
   returned before.  Some of it may have been executed. */
XArray* DCFG_(new_unexecuted_code)(UInt first);

/* Forget the results of DCFG_(close_code). */
void DCFG_(forget_closed_code)(void);

#endif /* __DCFG_CLOSURE_H */
