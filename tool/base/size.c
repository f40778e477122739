/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sizes in the values of options. */

/* Owns: the notation of a size.  Handed: values of options by, and taken by:
   tool/xray/output_xray.c, tool/wet/output_wet.c. */

#include "pub_tool_basics.h"

#include "tool/base/size.h"

Bool DCFG_(parse_size)(const HChar* s, ULong* size)
{
   UInt shift = 0;

   *size = 0;
   if (*s == 0)
      return False;
   for (; *s >= '0' && *s <= '9'; s++) {
      if (*size > ~(ULong)0 / 1000)
         return False;
      *size = *size * 10 + (*s - '0');
   }
   switch (*s) {
      case 'K': case 'k': shift = 10; s++; break;
      case 'M': case 'm': shift = 20; s++; break;
      case 'G': case 'g': shift = 30; s++; break;
      default:                             break;
   }
   if (*s != 0 || *size > (~(ULong)0 >> shift))
      return False;
   *size <<= shift;
   return True;
}
