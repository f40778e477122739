/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables of a column's numbers. */

/* Owns: the table of the values that a column has in a block, and for each
   row the index of its value.  Handed: differences.

   Loads from arrays often yield few different values in an order that no step
   predicts. */

#include "pub_tool_basics.h"
#include "pub_tool_libcbase.h"

#include "format/wet_records.h"
#include "tool/wet/packed.h"
#include "tool/wet/value_table.h"

/* The hash table has twice as many places as there are values at most. */
#define HASH_BITS 11

static struct {
   ULong  values[WET_TABLE_VALUES];
   UShort heads[1u << HASH_BITS];           // 1 more than an index, or 0
   UShort rows[WET_BLOCK_WORDS];            // the index of each row's value
} table;

/* Return where VALUE is in the hash table, or belongs. */
static inline UShort* head_of(ULong value)
{
   UInt h = value * 0x9E3779B97F4A7C15ull >> (64 - HASH_BITS);

   while (table.heads[h] != 0 && table.values[table.heads[h] - 1] != value)
      h = (h + 1) % (1u << HASH_BITS);
   return &table.heads[h];
}

UInt DCFG_(make_table)(ULong last, const ULong* d, UInt n, UInt most)
{
   UInt m = 0;

   VG_(memset)(table.heads, 0, sizeof(table.heads));
   most = most < WET_TABLE_VALUES ? most : WET_TABLE_VALUES;
   for (UInt i = 0; i < n; i++) {
      last += d[i];
      UShort* head = head_of(last);
      if (*head == 0) {
         if (m == most)
            return 0;
         table.values[m] = last;
         *head           = ++m;
      }
      table.rows[i] = *head - 1;
   }
   return m;
}

SizeT DCFG_(size_of_table)(UInt m, UInt n)
{
   UChar bytes[DCFG_MAX_QUICK + 8];
   ULong last = 0;
   SizeT size = 2;

   for (UInt i = 0; i < m; i++) {
      size += DCFG_(put_quick)(bytes, DCFG_(zigzag)(table.values[i] - last))
              - bytes;
      last  = table.values[i];
   }
   return size + (SizeT)n * wet_index_bits(m) / 8;
}

UChar* DCFG_(put_table)(BitPen* bits, UChar* to, UInt m, UInt n)
{
   UInt  width = wet_index_bits(m);
   ULong last = 0;

   to = DCFG_(put_quick)(to, m);
   for (UInt i = 0; i < m; i++) {
      to   = DCFG_(put_quick)(to, DCFG_(zigzag)(table.values[i] - last));
      last = table.values[i];
   }
   for (UInt i = 0; i < n; i++)
      DCFG_(put_bits)(bits, table.rows[i], width);
   return to;
}
