
/*--------------------------------------------------------------------*/
/*--- Where variables are.                      slice_variable.h ---*/
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

#ifndef DCFG_CMD_SLICE_VARIABLE_H
#define DCFG_CMD_SLICE_VARIABLE_H

#include "lib/dcfg_slice.h"

/* Where variable NAME is just before AT runs, to what Q asks of.  Images are
   looked for below ROOT first, unless that is NULL.  Dies if it is nowhere. */
void variable_place(const DcfgWetInstr* at, const char* name,
                    const char* root, DcfgSliceQuery* q);

#endif /* DCFG_CMD_SLICE_VARIABLE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
