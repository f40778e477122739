/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The origins of printed bytes. */

#ifndef DCFG_CMD_SLICE_ORIGIN_H
#define DCFG_CMD_SLICE_ORIGIN_H

#include "cmd/output/output_syscalls.h"
#include "cmd/machine/processor.h"

/* ByteOrigin: the origin of a byte, through instructions that only copy it. */
typedef
   enum {
      ORIGIN_UNKNOWN,           // the trace does not have the byte
      ORIGIN_CONSTANT,          // a text that the program or a library has
      ORIGIN_COMPUTED           // any other
   }
   ByteOrigin;

typedef
   struct {
      uint8_t*        kinds;    // a ByteOrigin for each byte
      DcfgSliceRange* formats;  // memory of texts with a %, from which bytes
      uint32_t        n_formats;        // from BEGIN up to END were copied
   }
   Origins;

/* Return the origins of the SIZE bytes of T from PLACE on.  BEGIN and END
   are places in T, too.  INITIAL has the bytes that no instruction wrote.
   Free the result with origins_free(). */
Origins origins_find(DcfgWet* w, const Roles* roles, const OutputStream* t,
                     uint64_t place, uint64_t size, uint64_t begin,
                     uint64_t end, const ImageBytes* initial);
void    origins_free(Origins* o);

#endif /* DCFG_CMD_SLICE_ORIGIN_H */
