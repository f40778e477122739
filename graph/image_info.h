
/*--------------------------------------------------------------------*/
/*--- What is known of an image.                graph/image_info.h ---*/
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

#ifndef __DCFG_IMAGE_INFO_H
#define __DCFG_IMAGE_INFO_H

#include "base/port.h"

typedef
   struct {
      Addr         addr;
      SizeT        size;
      const HChar* name;       // as in the object, not demangled
   }
   ImageSymbol;

typedef
   struct {
      Addr addr;               // of an instruction
      UInt file;               // see DCFG_(source_file_name)
      UInt line;
   }
   ImageLine;

typedef
   struct {
      const HChar* name;       // of the file, or [anon]
      Addr         load;       // where the first byte is mapped
      SizeT        size;       // up to the end of its last code
      const HChar* build_id;   // in hexadecimal; NULL: none
      ULong        code_hash;  // without one: of its code; 0: none
      const ImageSymbol* symbols;   // by address, then name
      UInt               n_symbols;
      const ImageLine*   lines;     // by address
      UInt               n_lines;
   }
   ImageInfo;

#endif /* __DCFG_IMAGE_INFO_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
