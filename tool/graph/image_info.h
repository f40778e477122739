/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The description of an image. */

#ifndef __DCFG_IMAGE_INFO_H
#define __DCFG_IMAGE_INFO_H

#include "format/port.h"

typedef
   struct {
      Addr         addr;
      SizeT        size;
      const HChar* name;       // as in the object file, not demangled
   }
   ImageSymbol;

typedef
   struct {
      Addr addr;               // address of an instruction
      UInt file;               // see DCFG_(source_file_name)
      UInt line;
   }
   ImageLine;

typedef
   struct {
      const HChar* name;       // path of the file, or [anon]
      Addr         load;       // address of the file's first byte
      SizeT        size;       // from there to the end of the last code
      const HChar* build_id;   // hexadecimal; NULL: none
      ULong        code_hash;  // hash of the code if there is no build id; 0:
                               // none
      const ImageSymbol* symbols;   // by address, then by name
      UInt               n_symbols;
      const ImageLine*   lines;     // by address
      UInt               n_lines;
   }
   ImageInfo;

#endif /* __DCFG_IMAGE_INFO_H */
