
/*--------------------------------------------------------------------*/
/*--- New files beside others.                      delivery/newfile.h ---*/
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


#ifndef __DCFG_NEWFILE_H
#define __DCFG_NEWFILE_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* Make a new file in the directory of PATH, or, if that is NULL, where
   Valgrind puts its temporary files, and open it with FLAGS and MODE.  Its
   name begins as PATH ends, then follow KIND and something that nobody
   foresees.  There was no such file and no such link.  Returns the
   descriptor and, to be freed, *NAME; or a negative errno, and *NAME is what
   could not be made. */
Int DCFG_(new_file)(const HChar* path, const HChar* kind, Int flags,
                    Int mode, /*OUT*/HChar** name);

#endif /* __DCFG_NEWFILE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
