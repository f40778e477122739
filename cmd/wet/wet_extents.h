/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Extents of a spool file. */

#ifndef DCFG_CMD_WET_EXTENTS_H
#define DCFG_CMD_WET_EXTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef
   struct {
      const uint8_t* at;
      size_t         n;
   }
   Piece;

typedef
   struct {
      uint8_t* bytes;
      size_t   n, room;
   }
   Text;

void add_bytes(Text* t, const void* bytes, size_t n);

/* Append the extents of KIND in FILE to TO, in order.  If one is there twice,
   the longer one is taken.  An extent that was being written when the process
   was killed is missing.  Return False if there is none, or one in the middle
   is missing. */
bool find_stream(Piece file, uint32_t kind, Text* to);

#endif /* DCFG_CMD_WET_EXTENTS_H */
