
/*--------------------------------------------------------------------*/
/*--- The door: who watches the run.                 dcfg_output.c ---*/
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

/* Owns: the list of those that watch.  Handed: watchers by outputs that are
   on.  Taken by: run/instrument.c, run/event.c, run/image.c, which call
   them. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"

#include "dcfg_output.h"

const Watcher* DCFG_(watchers)[DCFG_MAX_WATCHERS];
UInt           DCFG_(n_watchers);

UInt DCFG_(watch)(const Watcher* w)
{
   for (UInt i = 0; i < DCFG_(n_watchers); i++)
      if (DCFG_(watchers)[i] == w)
         return i;
   tl_assert(DCFG_(n_watchers) < DCFG_MAX_WATCHERS);
   DCFG_(watchers)[DCFG_(n_watchers)] = w;
   return DCFG_(n_watchers)++;
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
