/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Files of the machine that recorded: from where does a replay read them? */

/* Owns: the directory of --replay-root.  Handed: names of files, by the core and
   by the tool.

   `dcfg record pack' puts copies of the program, its libraries and their debug
   information below one directory, under their full names.  There they are read:
   by the core's loader, by mmap() of the replay, by the readers of debug
   information, and by the tool.  The names of mapped files lose the directory
   again, so all outputs have the recorded names.  For this, three functions of the
   core are replaced.  Files that are not below the directory, such as those of
   /proc, are read from where they are; nothing is written below it. */

#include "tool/base/core.h"
#include "tool/base/options.h"
#include "tool/record/recorded.h"

static const HChar* root;     // a full name without links; NULL: none
static SizeT        root_length;

void DCFG_(set_replay_root)(const HChar* dir)
{
   SysRes         sres = VG_(open)(dir, VKI_O_RDONLY, 0);
   struct vg_stat st;
   const HChar*   name;

   if (sr_isError(sres) || VG_(fstat)(sr_Res(sres), &st) != 0
       || !VKI_S_ISDIR(st.mode))
      DCFG_FAIL("--replay-root=%s: %s\n", dir,
                DCFG_(error_text)(sr_isError(sres) ? sr_Err(sres)
                                  : VKI_ENOTDIR));
   if (VG_(resolve_filename)(sr_Res(sres), &name)
       && name[1] != 0) {
      root        = VG_(strdup)("dcfg.record.root", name);
      root_length = VG_(strlen)(root);
   }
   VG_(close)(sr_Res(sres));
}

HChar* DCFG_(name_in_root)(const HChar* name)
{
   return DCFG_(printed)("%s%s", root == NULL ? "" : root, name);
}

/* Return whether NAME is that of a file below the root. */
static Bool is_inside(const HChar* name)
{
   return root != NULL && VG_(strncmp)(name, root, root_length) == 0
          && name[root_length] == '/';
}

/* Return whether NAME may have a copy below the root. */
static Bool may_have_copy(const HChar* name)
{
   return root != NULL && name[0] == '/' && !is_inside(name);
}

SysRes DCFG_WRAP(VG_(open))(const HChar* name, Int flags, Int mode)
{
   if (may_have_copy(name)
       && !(flags & (VKI_O_WRONLY | VKI_O_RDWR | VKI_O_CREAT))) {
      HChar* inside = DCFG_(name_in_root)(name);
      SysRes sres   = DCFG_REAL(VG_(open))(inside, flags, mode);
      VG_(free)(inside);
      if (!sr_isError(sres))
         return sres;
   }
   return DCFG_REAL(VG_(open))(name, flags, mode);
}

SysRes DCFG_WRAP(VG_(stat))(const HChar* name, struct vg_stat* to)
{
   if (may_have_copy(name)) {
      HChar* inside = DCFG_(name_in_root)(name);
      SysRes sres   = DCFG_REAL(VG_(stat))(inside, to);
      VG_(free)(inside);
      if (!sr_isError(sres))
         return sres;
   }
   return DCFG_REAL(VG_(stat))(name, to);
}

/* The core's manager of the address space names files that are mapped. */
Bool DCFG_WRAP(ML_(am_resolve_filename))(Int fd, HChar* name, Int size)
{
   Bool ok = DCFG_REAL(ML_(am_resolve_filename))(fd, name, size);

   if (ok && is_inside(name))
      VG_(memmove)(name, name + root_length, size - root_length);
   return ok;
}
