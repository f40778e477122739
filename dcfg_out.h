
/*--------------------------------------------------------------------*/
/*--- Output files.                                     dcfg_out.h ---*/
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

#ifndef __DCFG_OUT_H
#define __DCFG_OUT_H

#include "pub_tool_basics.h"
#include "dcfg_port.h"

/* A file that appears under its name only when it is complete. */
typedef struct _OutFile OutFile;

/* Where two processes would write one file, the second to finish takes
   another name and says so.  Call this in the child of a fork: it is not
   the process that wrote its parent's files. */
void DCFG_(disown_out_files)(void);

/* Is NAME no device, pipe or directory? */
Bool DCFG_(is_regular_or_new)(const HChar* name);

/* Before the program runs: make sure that the file that option OPT names
   with FORMAT (%p, %q{VAR}, %n) can be created; otherwise say why not and
   exit. */
void DCFG_(check_out_file)(const HChar* opt, const HChar* format);

/* Likewise: make sure that it is not the one that option OTHER names. */
void DCFG_(check_apart)(const HChar* opt, const HChar* format,
                        const HChar* other, const HChar* other_format);

/* NAME with PART before a compressor's suffix; to be freed. */
HChar* DCFG_(name_of_part)(const HChar* name, const HChar* part);

/* Start writing that file.  Trouble is remembered until it is closed. */
OutFile* DCFG_(open_out_file)(const HChar* opt, const HChar* format);

/* For JsonOut.write; ARG is the OutFile. */
void DCFG_(write_out_file)(void* arg, const HChar* text, UInt n);

/* Give up: leave no file. */
void DCFG_(abandon_out_file)(OutFile* f);

/* Finish: compress if the name asks for it, and give the file its name.
   Returns that name, to be freed, or NULL when trouble, which has been
   told, has left no file. */
HChar* DCFG_(close_out_file)(OutFile* f);

#endif /* __DCFG_OUT_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
