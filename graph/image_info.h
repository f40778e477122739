/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What is known of an image. */

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
