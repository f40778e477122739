/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A sequence of bits. */

/* Private to wet/. */

#ifndef __DCFG_BIT_PEN_H
#define __DCFG_BIT_PEN_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* BitPen: the place of the next bits, the lowest first. */
typedef
   struct {
      UChar* at;             // has room for 8 bytes more than are used
      ULong  word;           // bits that are not there yet
      UInt   n;
   }
   BitPen;

/* Put the N lowest bits of BITS, N at most 64; the others are 0. */
static inline void DCFG_(put_bits)(BitPen* p, ULong bits, UInt n)
{
   p->word |= bits << p->n;
   if (p->n + n >= 64) {
      /* Aligned: only whole words have been put. */
      *(ULong*)(void*)p->at = p->word;
      p->at  += 8;
      p->word = p->n == 0 ? 0 : bits >> (64 - p->n);
      p->n   -= 64;
   }
   p->n += n;
}

#endif /* __DCFG_BIT_PEN_H */
