/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Links in names of output files. */

/* Owns: the resolution of links.  Handed: names that users gave.

   A complete file replaces the old one, but must not replace a link: then the
   link's target is replaced.  A descriptor has no name: text is appended to the
   open file. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_mallocfree.h"

#include "tool/files/outpath.h"

#define MAX_LINKS 40         // as in Linux
#define MAX_PATH  4096

/* Return the descriptor that NAME stands for, or -1. */
static Int descriptor_of(const HChar* name)
{
   static const HChar* const streams[]
      = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };
   static const HChar* const dirs[] = { "/dev/fd/", "/proc/self/fd/" };

   for (Int i = 0; i < 3; i++)
      if (VG_STREQ(name, streams[i]))
         return i;
   for (Int i = 0; i < 2; i++) {
      SizeT  n = VG_(strlen)(dirs[i]);
      HChar* end;
      if (VG_(strncmp)(name, dirs[i], n) != 0 || !VG_(isdigit)(name[n]))
         continue;
      Long fd = VG_(strtoll10)(name + n, &end);
      if (*end == 0 && fd >= 0 && fd <= 0x7FFFFFFF)
         return (Int)fd;
   }
   return -1;
}

/* Return the path of LINK, the contents of the link NAME, relative to the same
   directory as NAME. */
static HChar* beside(const HChar* name, const HChar* link)
{
   const HChar* slash = VG_(strrchr)(name, '/');
   SizeT        n     = link[0] == '/' || slash == NULL ? 0
                        : slash + 1 - name;
   HChar*       s     = VG_(malloc)("dcfg.outpath", n + VG_(strlen)(link)
                                                    + 1);

   VG_(memcpy)(s, name, n);
   VG_(strcpy)(s + n, link);
   return s;
}

HChar* DCFG_(follow_links)(const HChar* name, Int* fd)
{
   HChar* path = VG_(strdup)("dcfg.outpath", name);
   HChar  link[MAX_PATH + 1];

   for (Int i = 0; i <= MAX_LINKS; i++) {
      *fd = descriptor_of(path);
      if (*fd != -1)
         break;
      SSizeT n = VG_(readlink)(path, link, MAX_PATH);
      if (n <= 0)
         break;
      link[n] = 0;
      HChar* next = beside(path, link);
      VG_(free)(path);
      path = next;
   }
   return path;
}

HChar* DCFG_(join_path)(const HChar* dir, const HChar* name)
{
   HChar* res = VG_(malloc)("dcfg.outpath.join",
                            VG_(strlen)(dir) + VG_(strlen)(name) + 2);

   VG_(sprintf)(res, "%s/%s", dir, name);
   return res;
}
