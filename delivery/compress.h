
/*--------------------------------------------------------------------*/
/*--- Compressing files.                           delivery/compress.h ---*/
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


#ifndef __DCFG_COMPRESS_H
#define __DCFG_COMPRESS_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* A program that compresses a file.  No suffix is longer than
   DCFG_MAX_SUFFIX. */
#define DCFG_MAX_SUFFIX 4
typedef
   struct {
      const HChar* suffix;
      const HChar* program;
      const HChar* command;     // replaces file $0 by $0 with the suffix
   }
   Compressor;

/* The one for NAME's suffix, or NULL. */
const Compressor* DCFG_(find_compressor)(const HChar* name);

/* The length of NAME without that suffix. */
SizeT DCFG_(plain_length)(const HChar* name);

/* Before the program runs: compressors are found in the PATH that there is
   now.  The program may overwrite it. */
void DCFG_(keep_environment)(void);

/* Replace FILE by a compressed one.  Returns False if that failed. */
Bool DCFG_(compress)(const Compressor* c, const HChar* file);

#endif /* __DCFG_COMPRESS_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
