
/*--------------------------------------------------------------------*/
/*--- Sizes in options.                                base/size.c ---*/
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

/* Owns: how a size is written in an option.  Handed: texts, and taken by:
   xray/output_xray.c, wet/output_wet.c. */

#include "pub_tool_basics.h"

#include "base/size.h"

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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
