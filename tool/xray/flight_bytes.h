/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Bytes of an XRay log's records. */

/* Private to xray/. */

#ifndef __DCFG_FLIGHT_BYTES_H
#define __DCFG_FLIGHT_BYTES_H

#include "pub_tool_basics.h"
#include "format/xray_records.h"

/* Return the first byte of a metadata record of KIND. */
#define FIRST_BYTE(kind) ((kind) << 1 | 1)

static inline void set_bytes(UChar* to, ULong n, UInt size)
{
   for (UInt i = 0; i < size; i++)
      to[i] = (UChar)(n >> 8 * i);
}

/* Store two numbers of four bytes. */
static inline void set_function(UChar* to, UInt a, UInt b)
{
#if defined(VG_LITTLEENDIAN)
   __builtin_memcpy(to, &a, sizeof(a));
   __builtin_memcpy(to + sizeof(a), &b, sizeof(b));
#else
   set_bytes(to, a, 4);
   set_bytes(to + 4, b, 4);
#endif
}

static inline ULong get_bytes(const UChar* from, UInt size)
{
   ULong n = 0;

   for (UInt i = size; i > 0; i--)
      n = n << 8 | from[i - 1];
   return n;
}

/* Return the next function record, from *AT on in the N bytes of a buffer, or
   NULL.  *AT moves behind it, and *TICK becomes its tick. */
static inline const UChar* next_function(const UChar* buffer, UInt n,
                                         UInt* at, ULong* tick)
{
   while (*at < n) {
      const UChar* r = buffer + *at;
      if ((r[0] & 1) == 0) {
         *at   += XRAY_FUNCTION_SIZE;
         *tick += get_bytes(r + 4, 4);
         return r;
      }
      *at += XRAY_METADATA_SIZE;
      if (r[0] == FIRST_BYTE(XrayCustomEvent))
         *at += get_bytes(r + 1, 4);
      if (r[0] == FIRST_BYTE(XrayEndOfBuffer))
         return NULL;
      if (r[0] == FIRST_BYTE(XrayNewCpu))
         *tick = get_bytes(r + 3, 8);
      if (r[0] == FIRST_BYTE(XrayTscWrap))
         *tick = get_bytes(r + 1, 8);
   }
   return NULL;
}

#endif /* __DCFG_FLIGHT_BYTES_H */
