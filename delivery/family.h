
/*--------------------------------------------------------------------*/
/*--- Which process wrote a file.                    delivery/family.h ---*/
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
#ifndef __DCFG_FAMILY_H
#define __DCFG_FAMILY_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* Before the program runs: find out when the family began.  Returns whether
   another process began it. */
Bool DCFG_(find_family)(void);

/* This process, or the one it acts for, wrote that file. */
void DCFG_(note_own_file)(const HChar* name);

/* In the child of a fork: it is not the process that wrote its parent's
   files. */
void DCFG_(disown_files)(void);

/* Is there such a file, written by another process of the family? */
Bool DCFG_(is_anothers)(const HChar* name);

/* May NAME be written: is there no such file, or one by this process? */
Bool DCFG_(is_free)(const HChar* name);

/* NAME with process id PID before its last extension, and number K if that is not
   1; to be freed. */
HChar* DCFG_(name_with_pid)(const HChar* name, Int pid, UInt k);

#endif /* __DCFG_FAMILY_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
