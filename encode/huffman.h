
/*--------------------------------------------------------------------*/
/*--- Huffman codes.                              encode/huffman.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

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

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
