
/*--------------------------------------------------------------------*/
/*--- The functions of an XRay log, by number.          logs/ids.h ---*/
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

#ifndef __DCFG_IDS_H
#define __DCFG_IDS_H

#include "pub_tool_basics.h"

/* A function of the log. */
typedef
   struct {
      const HChar* object;
      const HChar* file;
      const HChar* name;
      UInt         line;       // 0: not known
   }
   Named;

/* Before the program runs: only functions with these names, or in these
   objects, are wanted; lists of globs with commas between, or NULL for
   all.  Returns False if one of the globs is empty. */
Bool DCFG_(choose_functions)(const HChar* option, const HChar* names);
Bool DCFG_(choose_objects)(const HChar* option, const HChar* names);

/* Is FUNCTION, a number of calls/function.h, wanted? */
Bool DCFG_(is_function_wanted)(UInt function);

/* Its number in the log, from 1 up, given to it when this is first asked. */
UInt DCFG_(id_of_function)(UInt function);

/* The number that was given to N next, before the program ran. */
void DCFG_(reserve_id)(const Named* n);

/* Functions by number, 1 .. n_ids. */
UInt         DCFG_(n_ids)(void);
const Named* DCFG_(named)(UInt id);

#endif /* __DCFG_IDS_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
