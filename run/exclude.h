
/*--------------------------------------------------------------------*/
/*--- Parts of the code: what to leave out.          run/exclude.h ---*/
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

#ifndef __DCFG_EXCLUDE_H
#define __DCFG_EXCLUDE_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "base/port.h"

/* Take ARG if it is one of the options that say what to leave out. */
Bool DCFG_(exclude_option)(const HChar* arg);
void DCFG_(exclude_usage)(void);

/* Before the program runs.  What is wrong with the options is told, and
   ends the tool. */
void DCFG_(start_excluding)(void);

/* Is anything left out? */
Bool DCFG_(excludes_code)(void);

/* Is the instruction at A, of code that is about to be translated? */
Bool DCFG_(is_excluded)(Addr a);

/* The number of IN's first instruction that is left out where its first one
   is not, or the other way round; or 0. */
UInt DCFG_(inner_border)(const IRSB* in);

/* At the end: say which globs fitted nothing. */
void DCFG_(tell_unused_globs)(void);

#endif /* __DCFG_EXCLUDE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
