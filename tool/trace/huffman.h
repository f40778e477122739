/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Huffman codes. */

/* Private to trace/. */

#ifndef __DCFG_HUFFMAN_H
#define __DCFG_HUFFMAN_H

#include "format/port.h"

/* The longest TRANSITION_CODE that the format allows, in bits. */
#define MAX_CODE_BITS 32

/* Compute the lengths of N code words, at most MAX_CODE_BITS each, so that the
   sum of length times weight is minimal.  WEIGHTS are ascending and their sum
   is below 2^58.  A single symbol gets the empty code word. */
void DCFG_(code_lengths)(const ULong* weights, UInt n, UChar* lengths);

/* Compute code words of these lengths, none a prefix of another.  LENGTHS are
   descending, as code_lengths() makes them. */
void DCFG_(code_words)(const UChar* lengths, UInt n, UInt* words);

#endif /* __DCFG_HUFFMAN_H */
