/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The control of the coded tape: symbols and marks. */

/* Private to wet/. */

#ifndef __DCFG_CONTROL_H
#define __DCFG_CONTROL_H

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"
#include "tool/wet/packed.h"
#include "tool/wet/slots.h"
#include "tool/wet/tape_words.h"

/* Pen: state that changes with each record. */
typedef
   struct {
      UChar* control;
      UInt   n_right;        // right predictions since the last wrong one
      UInt   history;
   }
   Pen;

/* Write the number of right predictions, and whether the next header is the
   other predicted one or another. */
static inline void DCFG_(put_right)(Pen* p, Bool other)
{
   p->control = DCFG_(put_varint)(p->control, (ULong)p->n_right << 1 | other);
   p->n_right = 0;
}

/* Put the symbol of WAY.  Return the end, as those below. */
static inline UChar* DCFG_(put_way)(UChar* to, const SlotWay* way)
{
   Bool exited = way->exit != HOW_END;

   to = DCFG_(put_varint)(to, SymbolFirst + ((ULong)way->sb << 1 | exited));
   return exited ? DCFG_(put_varint)(to, way->exit) : to;
}

/* Put MARK, its WORDS, and the bytes at *EXTRA if it has some, which are passed
   over. */
static inline UChar* DCFG_(put_mark)(UChar* to, UInt mark, const ULong* words,
                                      const UChar** extra)
{
   UInt n = wet_words_of_mark(mark);

   to = DCFG_(put_varint)(to, SymbolMark);
   to = DCFG_(put_varint)(to, mark);
   for (UInt i = 0; i < n; i++)
      to = DCFG_(put_varint)(to, words[i]);
   if (wet_has_bytes(mark)) {
      VG_(memcpy)(to, *extra, words[n - 1]);
      to     += words[n - 1];
      *extra += words[n - 1];
   }
   return to;
}

#endif /* __DCFG_CONTROL_H */
