
/*--------------------------------------------------------------------*/
/*--- Which phrases are not worth a row.            encode/prune.h ---*/
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

#ifndef __DCFG_PRUNE_H
#define __DCFG_PRUNE_H

#include "encode/phrase.h"

/* Two phrases that say the same as a third. */
typedef
   struct {
      UInt first, second;   // or 0
   }
   Split;

/* The phrases' counts are those of the whole trace, and their code that of
   these counts.  Returns by phrase what is to be written in its place,
   which may be split in its turn; counts become those of what remains. */
Split* DCFG_(prune)(Phrases* ps);

#endif /* __DCFG_PRUNE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
