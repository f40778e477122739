/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Temporary files. */

/* Owns: the names of temporary files.  Handed: the purpose of a file.

   The names cannot be predicted.  Otherwise anybody who can write to the
   directory could put a link there, and its target would be overwritten. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_vki.h"

#include "tool/files/compress.h"
#include "tool/base/core.h"
#include "tool/files/newfile.h"

#define LONGEST_NAME 255     // bytes in the name of a file on Linux
#define N_DIGITS     12
#define MAX_TRIES    100

/* Return a random number, or if the kernel has none, one from the time. */
static ULong random_number(void)
{
   static ULong n;
   ULong        r;

   if (DCFG_(random_bytes)(&r, sizeof(r)))
      return r;
   n = n * 6364136223846793005ULL + VG_(read_millisecond_timer)()
       + ((ULong)VG_(getpid)() << 32) + 1442695040888963407ULL;
   return n >> 16;
}

/* Return a name made of PATH, shortened so that a compressor's suffix fits,
   KIND, and digits. */
static HChar* make_name(const HChar* path, const HChar* kind)
{
   const HChar* slash = VG_(strrchr)(path, '/');
   const HChar* base  = slash == NULL ? path : slash + 1;
   SizeT        most  = LONGEST_NAME - DCFG_MAX_SUFFIX - N_DIGITS
                        - VG_(strlen)(kind);
   SizeT        n     = VG_(strlen)(base) < most ? VG_(strlen)(base) : most;
   SizeT        room  = base - path + LONGEST_NAME + 1;
   HChar*       name  = VG_(malloc)("dcfg.newfile.name", room);
   const ULong  mask  = (1ULL << (4 * N_DIGITS)) - 1;

   VG_(memcpy)(name, path, base - path + n);
   VG_(sprintf)(name + (base - path) + n, "%s%012llx", kind,
                random_number() & mask);
   return name;
}

Int DCFG_(new_file)(const HChar* path, const HChar* kind, Int flags,
                    Int mode, HChar** name)
{
   HChar* temporary = NULL;
   SysRes sres;

   if (path == NULL) {
      const HChar* dir = VG_(tmpdir)();
      temporary = VG_(malloc)("dcfg.newfile.dir", VG_(strlen)(dir) + 16);
      VG_(sprintf)(temporary, "%s/dcfg", dir);
      path = temporary;
   }
   *name = make_name(path, kind);
   for (Int tries = 1; ; tries++) {
      sres = VG_(open)(*name, VKI_O_CREAT | VKI_O_EXCL | flags, mode);
      if (!sr_isError(sres) || sr_Err(sres) != VKI_EEXIST
          || tries == MAX_TRIES)
         break;
      VG_(free)(*name);
      *name = make_name(path, kind);
   }
   VG_(free)(temporary);
   return sr_isError(sres) ? -(Int)sr_Err(sres) : (Int)sr_Res(sres);
}
