
/*--------------------------------------------------------------------*/
/*--- What a DCFG alone says of blocks.               edge_sum.h ---*/
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

#ifndef DCFG_EDGE_SUM_H
#define DCFG_EDGE_SUM_H

#include "lib/blocks/edge_stream.h"

/* What S's process counts for THREAD; see dcfg_blocks_graph(). */
bool edges_sum(EdgeStream* s, uint32_t thread, uint64_t* unknown);

#endif /* DCFG_EDGE_SUM_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
