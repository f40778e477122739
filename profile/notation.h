
/*--------------------------------------------------------------------*/
/*--- Callgrind's format.                       profile/notation.h ---*/
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

/* Private to profile/. */

#ifndef __DCFG_NOTATION_H
#define __DCFG_NOTATION_H

#include "base/put.h"
#include "graph/image_info.h"
#include "profile/costs.h"
#include "run/gather.h"

/* As Callgrind's options of these names; .dump_line or .dump_instr. */
typedef
   struct {
      Bool dump_line;
      Bool dump_instr;
      Bool compress_strings;
      Bool compress_pos;
   }
   ProfileFormat;

/* Write to OUT what C has, of what ran, P, in IMAGES.  TRIGGER is why, and
   THREAD from 1 up, or 0 for all of them. */
void DCFG_(write_profile)(Put* out, const ProfileFormat* format,
                          const Gathered* p, const ImageInfo* images,
                          Costs* c, const HChar* trigger, UInt thread);

#endif /* __DCFG_NOTATION_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
