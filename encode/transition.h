
/*--------------------------------------------------------------------*/
/*--- The table of transitions.                encode/transition.h ---*/
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

/* Private to encode/. */

#ifndef __DCFG_TRANSITION_H
#define __DCFG_TRANSITION_H

#include "base/put.h"
#include "encode/phrase.h"

/* Write TRANSITION_TABLE.  ORDER are the N phrases in use, by context, as
   assign_code() makes it.  IS_WAY, by edge: there has to be a row that
   leads from it to its arrival; more may be set.  IS_START, by edge: rows
   must begin after it, whatever leads to it. */
void DCFG_(put_transitions)(Put* out, Phrases* ps,
                            const UInt* order, UInt n, Bool* is_way,
                            const Bool* is_start);

#endif /* __DCFG_TRANSITION_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
