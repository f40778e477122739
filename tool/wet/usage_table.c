/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Uses and definitions of all instructions, as the file has them. */

/* Owns: the part of an instruction's row that says what it uses and defines.
   Handed: bytes of instructions.

   The part does not depend on the address and takes long to find, so it is
   found once for equal bytes. */

#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_mallocfree.h"

#include "tool/wet/packed.h"
#include "tool/wet/usage.h"
#include "tool/wet/usage_table.h"

/* Add a set of locations as ranges: distance from the last one, length. */
static void add_locs(Bytes* b, const UChar* locs)
{
   UShort begins[N_LOCS / 2], ends[N_LOCS / 2];
   UInt   n = 0, last = 0;

   for (UInt i = 0; i < N_LOCS; ) {
      ULong some = 0;
      if (i % sizeof(some) == 0)
         __builtin_memcpy(&some, &locs[i], sizeof(some));
      if (i % sizeof(some) == 0 && some == 0) {
         i += sizeof(some);
      } else if (!locs[i]) {
         i++;
      } else {
         begins[n] = i;
         while (i < N_LOCS && locs[i])
            i++;
         ends[n++] = i;
      }
   }
   DCFG_(add_varint)(b, n);
   for (UInt i = 0; i < n; i++) {
      DCFG_(add_varint)(b, begins[i] - last);
      DCFG_(add_varint)(b, ends[i] - begins[i]);
      last = ends[i];
   }
}

static void add_usage(Bytes* b, const Usage* u)
{
   DCFG_(add_varint)(b, (u->known ? 1 : 0) | (u->top_zero ? 2 : 0)
                        | (u->top_step & 7) << 2 | (u->top_told ? 32 : 0));
   add_locs(b, u->uses);
   add_locs(b, u->defs);
   DCFG_(add_varint)(b, u->n_accesses);
   for (UInt i = 0; i < u->n_accesses; i++) {
      DCFG_(add_varint)(b, u->accesses[i].what);
      DCFG_(add_varint)(b, u->accesses[i].size);
      DCFG_(add_varint)(b, u->accesses[i].same);
   }
}

/* The parts, one behind the other: the length of the instruction, its bytes,
   the length of the part in 2 bytes, and the part. */
static Bytes parts;

/* A hash table with open addressing: for each part one more than its offset in
   .parts; 0: none. */
static UInt* places;
static UInt  n_places;          // a power of 2
static UInt  n_parts;

static ULong hash_of(const UChar* code, UInt len)
{
   ULong hash = len;

   for (UInt i = 0; i < len; i++)
      hash = (hash ^ code[i]) * 0x100000001B3ULL;
   return hash ^ hash >> 29;
}

/* Return the place of the part for CODE, or the free one where it belongs. */
static UInt* find_place(const UChar* code, UInt len)
{
   for (UInt i = hash_of(code, len);; i++) {
      UInt*        p  = &places[i & (n_places - 1)];
      const UChar* at = parts.bytes + *p - 1;
      if (*p == 0 || (at[0] == len && VG_(memcmp)(at + 1, code, len) == 0))
         return p;
   }
}

static void have_room(void)
{
   UInt* old = places;
   UInt  n   = n_places;

   if (2 * (n_parts + 1) <= n_places)
      return;
   n_places = n == 0 ? 1024 : 2 * n;
   places   = VG_(calloc)("dcfg.wet.usages", n_places, sizeof(UInt));
   for (UInt i = 0; i < n; i++)
      if (old[i] != 0) {
         const UChar* at = parts.bytes + old[i] - 1;
         *find_place(at + 1, at[0]) = old[i];
      }
   VG_(free)(old);
}

/* Append the part for CODE, which ran at ADDR. */
static void append_part(const UChar* code, UInt len, Addr addr)
{
   Usage* u = VG_(malloc)("dcfg.wet.usage", sizeof(Usage));
   UChar  code_len = len;
   UInt   begin = parts.used + 1 + len + 2, n;

   DCFG_(find_usage)(code, len, addr, u);
   DCFG_(add_bytes)(&parts, &code_len, 1);
   DCFG_(add_bytes)(&parts, code, len);
   DCFG_(add_bytes)(&parts, "\0", 2);
   add_usage(&parts, u);
   n = parts.used - begin;
   tl_assert(n < 1 << 16);
   parts.bytes[begin - 2] = n;
   parts.bytes[begin - 1] = n >> 8;
   VG_(free)(u);
}

void DCFG_(add_usage_of)(Bytes* b, const UChar* code, UInt len, Addr addr)
{
   tl_assert(len <= 255);   // 20 for a client request of Valgrind
   have_room();
   UInt* place = find_place(code, len);
   if (*place == 0) {
      UInt at = parts.used;
      append_part(code, len, addr);
      *place = at + 1;
      n_parts++;
   }
   const UChar* part = parts.bytes + *place - 1 + 1 + len;
   DCFG_(add_bytes)(b, part + 2, part[0] | part[1] << 8);
}
