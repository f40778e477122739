
/*--------------------------------------------------------------------*/
/*--- Where a name leads.                           delivery/outpath.h ---*/
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


#ifndef __DCFG_OUTPATH_H
#define __DCFG_OUTPATH_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* What NAME is when all links are followed, to be freed; it need not exist.
   If it is a descriptor of this process (/dev/stdout, /dev/fd/N,
   /proc/self/fd/N), *FD is that one, else -1. */
HChar* DCFG_(follow_links)(const HChar* name, /*OUT*/Int* fd);

#endif /* __DCFG_OUTPATH_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
