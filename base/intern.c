
/*--------------------------------------------------------------------*/
/*--- Names, each kept once.                         base/intern.c ---*/
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

/* Owns: names of objects, source files and functions, which outlive the
   debug information they are from.  Taken by: calls/function.c,
   run/image.c. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"

#include "base/intern.h"

static OSet* names;    // const HChar*

static Word cmp_names(const void* va, const void* vb)
{
   return VG_(strcmp)(*(const HChar* const*)va, *(const HChar* const*)vb);
}

const HChar* DCFG_(name)(const HChar* name)
{
   const HChar** known;

   if (names == NULL)
      names = VG_(OSetGen_Create)(0, cmp_names, VG_(malloc), "dcfg.intern",
                                  VG_(free));
   known = VG_(OSetGen_Lookup)(names, &name);
   if (known == NULL) {
      known  = VG_(OSetGen_AllocNode)(names, sizeof(*known));
      *known = VG_(strdup)("dcfg.intern", name);
      VG_(OSetGen_Insert)(names, known);
   }
   return *known;
}

const HChar* DCFG_(source_path)(const HChar* dir, const HChar* file)
{
   SizeT dir_len = file[0] == '/' ? 0 : VG_(strlen)(dir);
   HChar path[dir_len + VG_(strlen)(file) + 2];

   path[0] = 0;
   if (dir_len > 0) {
      VG_(strcpy)(path, dir);
      if (dir[dir_len - 1] != '/')
         VG_(strcat)(path, "/");
   }
   VG_(strcat)(path, file);
   return DCFG_(name)(path);
}

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
