
/*--------------------------------------------------------------------*/
/*--- Characters, repetitions, dictionary.         encode/repeat.h ---*/
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

#ifndef __DCFG_REPEAT_H
#define __DCFG_REPEAT_H

#include "base/port.h"

/* Where text goes: the sequences, each with a line feed behind it, and
   the rows of the dictionary without the braces around them. */
typedef
   struct {
      void  (*sequences)(void* arg, const HChar* text, UInt n);
      void  (*dictionary)(void* arg, const HChar* text, UInt n);
      void* arg;
   }
   TextSink;

typedef struct _TextCoder TextCoder;

/* BLOCK is how many characters are looked at together. */
TextCoder* DCFG_(new_text)(const TextSink* sink, UInt block);

/* The N_BITS low bits of BITS are next; then the sequence is complete. */
void DCFG_(text_bits)(TextCoder* t, UInt bits, UInt n_bits);
void DCFG_(text_end)(TextCoder* t);

/* Write what is left.  T is gone. */
void DCFG_(finish_text)(TextCoder* t);

#endif /* __DCFG_REPEAT_H */

/*--------------------------------------------------------------------*/
/*--- end                                                          ---*/
/*--------------------------------------------------------------------*/
