/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Interned names: equal names are one string. */

/* Owns: names of objects, source files and functions.  They outlive the debug
   information that they were read from. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_oset.h"

#include "tool/base/intern.h"

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
