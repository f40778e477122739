
/*--------------------------------------------------------------------*/
/*--- Names that are there once.                      interned.c ---*/
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

/* Owns: names, each once.  Handed: names.  Taken by: merge_runs.c and
   flame_tree.c. */

#include "cmd/base/interned.h"

#include "cmd/base/cmd.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

struct Interned {
   void* tree;                  // of char*, by strcmp
};

static int by_text(const void* a, const void* b)
{
   return strcmp(a, b);
}

Interned* interned_new(void)
{
   return zalloc(1, sizeof(Interned));
}

/* The tree is the C library's, so taking it apart is, too. */
void interned_free(Interned* names)
{
   while (names->tree != NULL) {
      char* name = *(char**)names->tree;
      tdelete(name, &names->tree, by_text);
      free(name);
   }
   free(names);
}

const char* intern(Interned* names, const char* name)
{
   void* found = tfind(name, &names->tree, by_text);

   if (found == NULL)
      found = need(tsearch(text_copy(name), &names->tree, by_text));
   return *(const char**)found;
}

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
