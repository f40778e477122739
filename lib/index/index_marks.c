/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Marks and records, as they change the image of memory. */

/* Owns: how a mark changes the image.  Handed: marks by index_make.c. */

#include "lib/index/index_marks.h"

/* Marks that change more bytes than this are told by their chunk alone. */
#define LARGE (64u << 10)

bool mark_write(const WetSteps* steps, const WetStep* r, MarkWrite* to)
{
   const uint64_t* words = steps->addrs + r->first;

   *to = (MarkWrite){ .is = BYTE_ASK };
   switch (r->mark) {
      case DCFG_WET_WRITTEN: to->is = BYTE_UNKNOWN; break;
      case DCFG_WET_FRESH:   to->is = BYTE_FRESH; break;
      case DCFG_WET_MOVED:   break;
      case MarkMapped:       to->maps = true; break;
      case MarkContents:
         if (words[MARK_N_BYTES] < words[1])
            return false;
         to->is    = BYTE_KNOWN;
         to->bytes = steps->bytes + words[MARK_BYTES_AT];
         break;
      default:
         return false;
   }
   to->addr = words[0];
   to->size = words[1] > UINT64_MAX - words[0] ? UINT64_MAX - words[0]
              : words[1];
   return true;
}

bool mark_write_put(const MarkWrite* x, uint64_t time, MemoryImage* image)
{
   return x->maps || x->size > LARGE
          ? image_change(image, x->addr, x->size)
          : image_write_any(image, x->addr, x->size, x->is, x->bytes, time);
}

bool unseen_may_be(const DcfgWet* w)
{
   return w->loads != NULL
          && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}
