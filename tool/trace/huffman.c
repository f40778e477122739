/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Huffman codes. */

/* Owns: code words.  Handed: weights by, and taken by: tool/trace/phrase.c.

   The code is a Huffman code whose words have a limited length.  Package-merge
   finds it (L. Larmore, D. Hirschberg, "A Fast Algorithm for Optimal
   Length-Limited Huffman Codes", JACM 37, 1990).  Each symbol is a coin of its
   weight in each of the denominations 2^-1 .. 2^-LIMIT.  Choose the cheapest
   coins with the sum N-1: a symbol's code word is as long as the number of its
   coins that are chosen.  To find them, pair the coins of the smallest
   denomination to packages, merge these with the coins of the next one, and so
   on.

   For each merged list, the code keeps only which elements are coins and which
   are packages.  Coins and packages are both ascending.  So the coins among the
   first M elements are those of the lightest symbols, and the packages are made
   of the first elements of the list below. */

#include "tool/trace/huffman.h"

/* Merge the weights with packages of two neighbours in OLD into NEW.  Return
   the length of NEW.  IS_COIN tells which elements are weights. */
static UInt merge(const ULong* weights, UInt n, const ULong* old, UInt n_old,
                  ULong* new, UChar* is_coin)
{
   UInt n_new = 0, coin = 0, pair = 0;

   while (coin < n || 2 * pair + 1 < n_old) {
      ULong package = 2 * pair + 1 < n_old
                      ? old[2 * pair] + old[2 * pair + 1] : 0;
      Bool  is      = coin < n
                      && (2 * pair + 1 >= n_old || weights[coin] <= package);
      is_coin[n_new] = is;
      new[n_new++]   = is ? weights[coin++] : package;
      if (!is)
         pair++;
   }
   return n_new;
}

void DCFG_(code_lengths)(const ULong* weights, UInt n, UChar* lengths)
{
   /* In a Huffman code of N symbols, no word is longer than N-1. */
   UInt   limit   = n - 1 < MAX_CODE_BITS ? n - 1 : MAX_CODE_BITS;
   UInt   n_list  = 0, m;
   ULong* list    = NULL;
   ULong* other   = NULL;
   UChar* is_coin = NULL;

   dcfg_memset(lengths, 0, n);
   if (n <= 2) {
      for (UInt i = 0; i < n; i++)
         lengths[i] = n - 1;
      return;
   }
   list    = dcfg_alloc("dcfg.huffman", 2 * (SizeT)n * sizeof(ULong));
   other   = dcfg_alloc("dcfg.huffman", 2 * (SizeT)n * sizeof(ULong));
   is_coin = dcfg_alloc("dcfg.huffman", 2 * (SizeT)n * limit);
   for (UInt level = 0; level < limit; level++) {
      ULong* swap = list;
      n_list = merge(weights, n, list, n_list, other,
                     is_coin + 2 * (SizeT)n * level);
      list   = other;
      other  = swap;
   }
   dcfg_assert(n_list >= 2 * n - 2);
   m = 2 * n - 2;
   for (UInt level = limit; level-- > 0; ) {
      const UChar* is = is_coin + 2 * (SizeT)n * level;
      UInt         coins = 0;
      for (UInt i = 0; i < m; i++)
         coins += is[i];
      for (UInt i = 0; i < coins; i++)
         lengths[i]++;
      m = 2 * (m - coins);
   }
   dcfg_free(list);
   dcfg_free(other);
   dcfg_free(is_coin);
}

void DCFG_(code_words)(const UChar* lengths, UInt n, UInt* words)
{
   /* The canonical code: from the shortest word up, each word is the one before
      plus one, extended by zeros to its own length. */
   ULong word = 0;
   UInt  bits = 0;

   for (UInt i = n; i-- > 0; ) {
      dcfg_assert(lengths[i] >= bits && lengths[i] <= MAX_CODE_BITS);
      word   <<= lengths[i] - bits;
      bits     = lengths[i];
      dcfg_assert(word >> bits == 0);
      words[i] = (UInt)word++;
   }
}
