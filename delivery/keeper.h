
/*--------------------------------------------------------------------*/
/*--- A process that keeps rights.                   delivery/keeper.h ---*/
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

#ifndef __DCFG_KEEPER_H
#define __DCFG_KEEPER_H

#include "pub_tool_basics.h"
#include "delivery/delivery.h"
#include "base/port.h"

/* Will the system call SYSNO with ARGS, if it succeeds, take rights from this
   process that are needed to write files? */
Bool DCFG_(gives_up_rights)(UInt sysno, const UWord* args);

/* Start a process that keeps them, if there is none yet.  From then on it
   does what delivery/delivery.h says, for this process. */
void DCFG_(start_keeper)(void);

/* The program has ended, and nothing more is written.  Waits until the keeper
   has ended, too, unless files were abandoned. */
void DCFG_(end_keeper)(void);

/* A forked child gets a keeper of its own. */
void DCFG_(before_fork)(void);
void DCFG_(after_fork)(Bool in_child);

/* As those without "kept", here or in the keeper.  Errno EOWNERDEAD: it is
   gone. */
Int  DCFG_(kept_begin_file)(const HChar* name, const Wanted* w);
void DCFG_(kept_fill_file)(const HChar* text, UInt n);
Int  DCFG_(kept_end_file)(Bool keep);
void DCFG_(kept_name_files)(Int pid, Bool claimed, /*OUT*/Delivered* results,
                            UInt n);
void DCFG_(kept_drop_files)(void);

#endif /* __DCFG_KEEPER_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
