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

void DCFG_(begin_pairs)(PairTable* t, UInt n)
{
   t->n_slots = slots_for(n);
   t->slots   = dcfg_alloc("dcfg.pairs.slots",
                           (SizeT)t->n_slots * sizeof(UInt));
}

void DCFG_(delete_pairs)(PairTable* t)
{
   dcfg_free(t->slots);
   t->slots = NULL;
   dcfg_free(t->list);
   t->list = NULL;
}

void DCFG_(clear_pairs)(PairTable* t, UInt n)
{
   t->n       = 0;
   t->n_slots = slots_for(n);
   dcfg_memset(t->slots, 0, (SizeT)t->n_slots * sizeof(UInt));
}

void DCFG_(use_more_slots)(PairTable* t)
{
   t->n_slots *= 2;
   dcfg_memset(t->slots, 0, (SizeT)t->n_slots * sizeof(UInt));
   for (UInt p = 0; p < t->n; p++)
      *DCFG_(find_slot)(t, t->list[p].left, t->list[p].right) = p + 1;
}

UInt DCFG_(add_pair)(PairTable* t, UInt left, UInt right)
{
   const SymbolPair fresh = { left, right, 0, 0 };

   if (t->n == t->room) {
      t->room = t->room ? 2 * t->room : 4096;
      t->list = dcfg_realloc("dcfg.pairs.list", t->list,
                             (SizeT)t->room * sizeof(SymbolPair));
   }
   t->list[t->n] = fresh;
   return t->n++;
}
