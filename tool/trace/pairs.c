/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A table of pairs of numbers. */

/* Owns: the memory of a table of pairs.  Handed: pairs of symbols by
   tool/trace/repeat.c, pairs of phrases by tool/trace/choose.c. */

#include "tool/trace/pairs.h"

static UInt slots_for(UInt n)
{
   UInt n_slots = 4096;

   while (n_slots < 2 * (SizeT)n)
      n_slots *= 2;
   return n_slots;
}

void DCFG_(begin_pairs)(PairTable* table, UInt n)
{
   table->n_slots = slots_for(n);
   table->slots   = dcfg_alloc("dcfg.pairs.slots",
                               (SizeT)table->n_slots * sizeof(UInt));
}

void DCFG_(delete_pairs)(PairTable* table)
{
   dcfg_free(table->slots);
   table->slots = NULL;
   dcfg_free(table->list);
   table->list = NULL;
}

void DCFG_(clear_pairs)(PairTable* table, UInt n)
{
   table->n       = 0;
   table->n_slots = slots_for(n);
   dcfg_memset(table->slots, 0, (SizeT)table->n_slots * sizeof(UInt));
}

void DCFG_(use_more_slots)(PairTable* table)
{
   table->n_slots *= 2;
   dcfg_memset(table->slots, 0, (SizeT)table->n_slots * sizeof(UInt));
   for (UInt p = 0; p < table->n; p++)
      *DCFG_(find_slot)(table, table->list[p].left, table->list[p].right)
         = p + 1;
}

UInt DCFG_(add_pair)(PairTable* table, UInt left, UInt right)
{
   const SymbolPair fresh = { left, right, 0, 0 };

   if (table->n == table->room) {
      table->room = table->room ? 2 * table->room : 4096;
      table->list = dcfg_realloc("dcfg.pairs.list", table->list,
                                 (SizeT)table->room * sizeof(SymbolPair));
   }
   table->list[table->n] = fresh;
   return table->n++;
}
