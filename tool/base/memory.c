/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: how the tool changes memory of the program for the duration of a system
   call, or after it.  Handed: addresses that the program gave to the kernel. */

#include "tool/base/core.h"
#include "tool/base/memory.h"

Bool DCFG_(usable)(UWord at, SizeT n, UInt prot)
{
   return at != 0 && VG_(am_is_valid_for_client)(at, n, prot);
}

UInt DCFG_(protection)(const NSegment* s)
{
   return (s->hasR ? VKI_PROT_READ : 0) | (s->hasW ? VKI_PROT_WRITE : 0)
          | (s->hasX ? VKI_PROT_EXEC : 0);
}

Bool DCFG_(overwrite)(UWord at, const void* from, SizeT n)
{
   const NSegment* seg  = VG_(am_find_nsegment)(at);
   Addr            page = VG_PGROUNDDN(at);
   SizeT           len  = VG_PGROUNDUP(at + n) - page;
   UInt            prot;

   if (seg == NULL || seg->end - at < n - 1)
      return False;
   prot = DCFG_(protection)(seg);
   if (!seg->hasW && DCFG_(protect)(page, len, prot | VKI_PROT_WRITE) != 0)
      return False;
   VG_(memcpy)((void*)at, from, n);
   if (!seg->hasW)
      DCFG_(protect)(page, len, prot);
   return True;
}

/*--- Files that stand for others                          ---*/

typedef
   struct {
      ULong  device, number;
      HChar* name;
   }
   Named;

static XArray* named;            // Named; NULL: none

void DCFG_(call_file)(ULong device, ULong number, const HChar* name)
{
   Named n = { device, number, VG_(strdup)("dcfg.memory.name", name) };

   if (named == NULL)
      named = DCFG_NEW_ARRAY("dcfg.memory.names", Named);
   VG_(addToXA)(named, &n);
}

const HChar* DCFG_(file_of)(const NSegment* s)
{
   for (Word i = named == NULL || s->kind != SkFileC
                 ? 0 : VG_(sizeXA)(named); i-- > 0; ) {
      const Named* n = VG_(indexXA)(named, i);
      if (n->device == s->dev && n->number == s->ino)
         return n->name;
   }
   return VG_(am_get_filename)(s);
}
