/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Huffman codes. */

/* Private to encode/. */

#ifndef __DCFG_HUFFMAN_H
#define __DCFG_HUFFMAN_H

#include "base/port.h"

/* The longest TRANSITION_CODE that the format allows. */
#define MAX_CODE_BITS 32

/* The lengths of N code words, none above MAX_CODE_BITS, that make the
   sum of length times weight as small as it can be.  WEIGHTS are in
   ascending order and their sum is below 2^58.  A single symbol gets the
   empty code word. */
void DCFG_(code_lengths)(const ULong* weights, UInt n, UChar* lengths);

/* Code words with these lengths, none a prefix of another.  LENGTHS are
   in descending order, as code_lengths() makes them. */
void DCFG_(code_words)(const UChar* lengths, UInt n, UInt* words);

#endif /* __DCFG_HUFFMAN_H */
