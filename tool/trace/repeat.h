/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The text of a trace: characters, repetitions, dictionary. */

/* Private to trace/. */

#ifndef __DCFG_REPEAT_H
#define __DCFG_REPEAT_H

#include "format/port.h"

/* TextSink: takes the text: the sequences, each with a line feed after it, and
   the rows of the dictionary without the braces around them. */
typedef
   struct {
      void  (*sequences)(void* arg, const HChar* text, UInt n);
      void  (*dictionary)(void* arg, const HChar* text, UInt n);
      void* arg;
   }
   TextSink;

typedef struct _TextCoder TextCoder;

/* Begin a text.  BLOCK is the number of characters that are compressed
   together. */
TextCoder* DCFG_(new_text)(const TextSink* sink, UInt block);

/* Append the N_BITS low bits of BITS; end a sequence. */
void DCFG_(text_bits)(TextCoder* coder, UInt bits, UInt n_bits);
void DCFG_(text_end)(TextCoder* coder);

/* Write the rest, and free CODER. */
void DCFG_(finish_text)(TextCoder* coder);

#endif /* __DCFG_REPEAT_H */
