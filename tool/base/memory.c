/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's memory, read and written by the tool. */

/* Owns: how the tool changes memory of the program for the duration of a system
   call, or after it.  Handed: addresses that the program gave to the kernel. */

#include "pub_tool_basics.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_vki.h"
#include "tool/base/core.h"
#include "tool/base/memory.h"

Bool DCFG_(usable)(UWord at, SizeT n, UInt prot)
{
   return at != 0 && VG_(am_is_valid_for_client)(at, n, prot);
}

Bool DCFG_(overwrite)(UWord at, const void* from, SizeT n)
{
   const NSegment* seg  = VG_(am_find_nsegment)(at);
   Addr            page = VG_PGROUNDDN(at);
   SizeT           len  = VG_PGROUNDUP(at + n) - page;
   UInt            prot;

   if (seg == NULL || seg->end - at < n - 1)
      return False;
   prot = (seg->hasR ? VKI_PROT_READ : 0) | (seg->hasW ? VKI_PROT_WRITE : 0)
          | (seg->hasX ? VKI_PROT_EXEC : 0);
   if (!seg->hasW && DCFG_(protect)(page, len, prot | VKI_PROT_WRITE) != 0)
      return False;
   VG_(memcpy)((void*)at, from, n);
   if (!seg->hasW)
      DCFG_(protect)(page, len, prot);
   return True;
}
