
/*--------------------------------------------------------------------*/
/*--- What stands at an address of an image.         run/symbols.h ---*/
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

#ifndef __DCFG_SYMBOLS_H
#define __DCFG_SYMBOLS_H

#include "pub_tool_debuginfo.h"

#include "graph/image_info.h"

/* Call DO_IT for each name of each symbol of DI's code.  NAME is lent. */
void DCFG_(each_symbol)(const DebugInfo* di,
                        void (*do_it)(void* arg, Addr addr, UInt size,
                                      const HChar* name), void* arg);

/* The first symbol of IM with the same address as the one around A, or
   its number of symbols. */
UInt DCFG_(symbol_around)(const ImageInfo* im, Addr a);

/* The line of the instruction at A; NULL if it is not known. */
const ImageLine* DCFG_(line_at)(const ImageInfo* im, Addr a);

#endif /* __DCFG_SYMBOLS_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
