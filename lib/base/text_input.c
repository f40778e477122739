
/*--------------------------------------------------------------------*/
/*--- Any text, uncompressed.                       text_input.c ---*/
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

/* Owns: text that is none of the formats' own, for who reads it.  Handed: a path.
   Taken by: programs (dcfg.h). */

#include "lib/base/input.h"

#include <stdlib.h>

struct DcfgText {
   Job    job;
   Input* in;
};

DcfgText* dcfg_text_open(const char* path, const DcfgOptions* options,
                         DcfgError* err)
{
   DcfgText* t;

   if (path == NULL) {
      set_error(err, DCFG_ERROR_ARGUMENT, NULL, NULL, 0, "no path");
      return NULL;
   }
   t = calloc(1, sizeof(*t));
   if (t == NULL) {
      set_error(err, DCFG_ERROR_MEMORY, path, NULL, 0, "out of memory");
      return NULL;
   }
   job_start(&t->job, path, options);
   t->in = input_open(&t->job, path);
   if (t->in == NULL) {
      job_tell(&t->job, err);
      free(t);
      return NULL;
   }
   return t;
}

size_t dcfg_text_read(DcfgText* t, void* buf, size_t size, DcfgError* err)
{
   size_t got = 0;

   if (!input_read(t->in, buf, size, &got))
      got = 0;
   job_tell(&t->job, err);
   return got;
}

void dcfg_text_close(DcfgText* t)
{
   if (t == NULL)
      return;
   input_close(t->in);
   free(t);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
