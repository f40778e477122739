
/*--------------------------------------------------------------------*/
/*--- Compressed files that are read in any order.        unpack.h ---*/
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

#ifndef DCFG_UNPACK_H
#define DCFG_UNPACK_H

#include "lib/base/input.h"

/* A file without a name, in the directory for such files, with the SIZE bytes
   that IN has from its begin on; or -1, also if there are more of them, or if
   that is more than may be written.  Whoever asked closes it. */
int input_unpack(Job* job, Input* in, uint64_t size);

#endif /* DCFG_UNPACK_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
