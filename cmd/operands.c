
/*--------------------------------------------------------------------*/
/*--- The files that a subcommand reads.                operands.c ---*/
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

/* Owns: opening a DCFG, and what of it is meant.  Handed: what stands on the
   command line.  Taken by: the subcommands. */

#include "operands.h"

#include <inttypes.h>

Dcfg* load_dcfg(const char* path)
{
   DcfgError err;
   Dcfg*     d = dcfg_load(path, NULL, &err);
   char      text[DCFG_ERROR_TEXT_SIZE];

   if (d == NULL)
      die("%s", dcfg_error_text(&err, text));
   return d;
}

uint32_t need_thread(const Dcfg* d, uint64_t thread)
{
   uint32_t most = 0;

   if (thread == UINT64_MAX)
      return DCFG_ALL_THREADS;
   for (uint32_t i = 0; i < d->n_processes; i++)
      if (dcfg_process(d, i)->n_threads > most)
         most = dcfg_process(d, i)->n_threads;
   if (thread >= most)
      die("there is no thread %" PRIu64 ": the file has %" PRIu32
          ", counted from 0", thread, most);
   return (uint32_t)thread;
}

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
