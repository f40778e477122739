/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Characters, repetitions, dictionary. */

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
