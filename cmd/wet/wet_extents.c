/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Extents of a spool file. */

/* Owns: the choice of valid extents of a spool file (docs/dev/wet-file.md).
   Handed: the file. */

#include "cmd/wet/wet_extents.h"

#include "cmd/base/cmd.h"
#include "format/spool_extents.h"

#include <stdlib.h>
#include <string.h>

#define UNIT (SPOOL_HEAD_SIZE + SPOOL_EXTENT)

static uint32_t number_at(const uint8_t* at)
{
   return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16
          | (uint32_t)at[3] << 24;
}

void add_bytes(Text* t, const void* bytes, size_t n)
{
   if (t->n + n > t->room) {
      t->room  = 2 * (t->n + n);
      t->bytes = need(realloc(t->bytes, t->room));
   }
   memcpy(t->bytes + t->n, bytes, n);
   t->n += n;
}

bool find_stream(Piece file, uint32_t kind, Text* to)
{
   static const uint8_t magic[8] = SPOOL_MAGIC;
   size_t n_units = file.n / UNIT + 1, last = 0;
   bool   whole = true;
   Piece* extents = zalloc(n_units, sizeof(*extents));

   for (size_t at = 0; file.n - at > SPOOL_HEAD_SIZE; at += UNIT) {
      const uint8_t* head = file.at + at;
      uint32_t       number = number_at(head + SpoolNumberAt), used = number_at(head + SpoolUsedAt);
      if (memcmp(head, magic, sizeof(magic)) == 0
          && number_at(head + SpoolKindAt) == kind && number < n_units && used <= SPOOL_EXTENT
          && used <= file.n - at - SPOOL_HEAD_SIZE && used > extents[number].n
          && spool_sum(head + SPOOL_HEAD_SIZE, used) == number_at(head + SpoolSumAt)) {
         extents[number] = (Piece){ head + SPOOL_HEAD_SIZE, used };
         last = number > last ? number : last;
      }
      if (file.n - at <= UNIT)
         break;
   }
   for (size_t i = 0; i <= last; i++) {
      whole = whole && extents[i].n >= (i < last ? SPOOL_EXTENT : 1);
      if (whole)
         add_bytes(to, extents[i].at, extents[i].n);
   }
   free(extents);
   return whole;
}
