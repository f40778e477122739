
/*--------------------------------------------------------------------*/
/*--- Text that is read.                              textfile.c ---*/
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

/* Owns: text files that may be compressed.  Handed: paths.  Taken by: turns.c,
   bb_file.c, cmd_regions.c. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE     // fopencookie
#endif

#include "cmd/base/textfile.h"

#include "cmd/base/operands.h"

#include <sys/types.h>

static ssize_t read_text(void* text, char* to, size_t size)
{
   DcfgError err;
   size_t    n = dcfg_text_read(text, to, size, &err);

   if (n == 0 && err.status != DCFG_OK)
      die("%s", unreadable(&err, true));
   return (ssize_t)n;
}

static int close_text(void* text)
{
   dcfg_text_close(text);
   return 0;
}

FILE* open_text(const char* path)
{
   const cookie_io_functions_t calls = { .read = read_text,
                                         .close = close_text };
   DcfgOptions options = read_options(NULL, NULL);
   DcfgError   err;
   DcfgText*   text = dcfg_text_open(path, &options, &err);

   if (text == NULL)
      die("%s", unreadable(&err, true));
   return need(fopencookie(text, "r", calls));
}

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
