/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Huffman codes. */

/* Owns: code words.  Handed: weights, by encode/phrase.c.  Taken by: the
   same.

   The code is a Huffman code with a limit to the length of its words,
   found by package-merge (L. Larmore, D. Hirschberg, "A Fast Algorithm
   for Optimal Length-Limited Huffman Codes", JACM 37, 1990): a symbol is a
   coin of its weight in each of the denominations 2^-1 .. 2^-LIMIT, and
   the cheapest coins that sum up to N-1 say by their number how long each
   symbol's code word is.  From the smallest denomination up, the coins of
   one are paired to packages and merged with those of the next.

   What is kept of each merged list is only which of its places hold a coin
   and not a package: as both come in ascending order, the coins among the
   first M places are those of the lightest symbols, and the packages are
   made of the first places of the list below. */

#include "encode/huffman.h"

/* Merge the weights with packages of pairs of OLD into NEW.  Returns how
   many there are; IS_COIN tells which are weights. */
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
   /* No code word of N symbols is longer than N-1 in any Huffman code. */
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
   /* The canonical code: from the shortest up, each word is the one
      before plus one, with zeros behind it if it is longer. */
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
