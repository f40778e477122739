
/*--------------------------------------------------------------------*/
/*--- Output files.                                    base/file.h ---*/
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

#ifndef __DCFG_FILE_H
#define __DCFG_FILE_H

#include "pub_tool_basics.h"
#include "base/put.h"

/* A file that appears under its name only when it is complete. */
typedef struct _OutFile OutFile;

/* Where two processes would write one file, the second to finish takes
   another name and says so.  Call this in the child of a fork: it is not
   the process that wrote its parent's files. */
void DCFG_(disown_out_files)(void);

/* Where OPT's FORMAT leads, to be freed, if that is a regular file or there
   is nothing so far; NULL if it is a descriptor, a device, a FIFO. */
HChar* DCFG_(path_of_file)(const HChar* opt, const HChar* format);

/* Why FORMAT (%p, %q{VAR}, %n) names no file, or NULL if it does.  What an
   option says is wrong ends the tool; what comes later must not. */
const HChar* DCFG_(why_no_name)(const HChar* format);

/* Before the program runs: option OPT names with FORMAT (%p, %q{VAR}, %n)
   a file that will be written.  If it cannot be created, or another option
   has named it before, say so and exit. */
void DCFG_(claim_out_file)(const HChar* opt, const HChar* format);

/* From now on files are of part N of the run, which stands in their names;
   0: of all that is left, with the names that the user gave. */
void DCFG_(set_part)(UInt n);

/* The name of OPT's FORMAT with the part's number and then SUFFIX before
   .json and a compressor's suffix; to be freed.  What is no regular file has
   no part in its name. */
HChar* DCFG_(name_of_part)(const HChar* opt, const HChar* format,
                           const HChar* suffix);

/* Start writing that file.  Trouble is remembered until it is closed. */
OutFile* DCFG_(open_out_file)(const HChar* opt, const HChar* format);

/* What is put there goes into the file.  .n_bytes of it have been written,
   once it was flushed. */
Put* DCFG_(text_of_file)(OutFile* f);

/* Give up: leave no file. */
void DCFG_(abandon_out_file)(OutFile* f);

/* Finish: compress if the name asks for it, give the file its name, and
   tell the user that it was written, with WHAT is in it.  Trouble is told
   instead, and leaves no file. */
void DCFG_(close_out_file)(OutFile* f, const HChar* what, ...)
   PRINTF_CHECK(2, 3);

#endif /* __DCFG_FILE_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
