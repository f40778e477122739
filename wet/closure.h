
/*--------------------------------------------------------------------*/
/*--- Code that was not executed.                    wet/closure.h ---*/
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

/* Forget what was seen by DCFG_(close_code). */
void DCFG_(forget_closed_code)(void);

#endif /* __DCFG_CLOSURE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
