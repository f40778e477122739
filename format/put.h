/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Buffered output of text. */

#ifndef __DCFG_PUT_H
#define __DCFG_PUT_H

#include "format/port.h"

/* PutFn: the function that takes N bytes of text. */
typedef void (*PutFn)(void* arg, const HChar* text, UInt n);

typedef
   struct {
      PutFn write;
      void* arg;
      ULong n_bytes;      // bytes that WRITE has taken
      UInt  used;
      HChar buf[65536];
   }
   Put;

/* Begin OUT: text that is put to OUT goes to WRITE, together with ARG. */
void DCFG_(start_put)(Put* out, PutFn write, void* arg);

/* Put one character, a text, or a decimal number. */
void DCFG_(put_char)(Put* out, HChar c);
void DCFG_(put_text)(Put* out, const HChar* s);
void DCFG_(put_number)(Put* out, ULong n);

/* Put N numbers with commas between them. */
void DCFG_(put_numbers)(Put* out, const ULong* numbers, UInt n);
#define DCFG_PUT_NUMBERS(out, ...)                                      \
   DCFG_(put_numbers)((out), (const ULong[]){ __VA_ARGS__ },            \
                      sizeof((const ULong[]){ __VA_ARGS__ })            \
                      / sizeof(ULong))

/* Put N bytes as they are. */
void DCFG_(put_bytes)(Put* out, const void* bytes, UInt n);

/* Put S as a JSON string.  Bytes that are not UTF-8 become the characters with
   their numbers, so that any name makes valid JSON.  Hidden characters become
   escapes. */
void DCFG_(put_string)(Put* out, const HChar* s);

/* Return the length of the UTF-8 sequence that S starts with, or 0 if it does
   not start with one (RFC 3629). */
UInt DCFG_(utf8_length)(const UChar* s);

/* Return the code of the character that S starts with if it is hidden: it
   controls a terminal (C0, DEL, C1), or turns or breaks lines.  A byte that is
   not UTF-8 is its own code.  0: the character may be shown. */
UInt DCFG_(hidden)(const UChar* s);

/* Write a '?' for each hidden character of S, and for each byte that is not
   UTF-8.  If LINES, newlines and tabs stay.  S has N bytes and a 0 behind them.
   Return the new length.  A character that the end cuts off counts as bytes that
   are not UTF-8. */
SizeT DCFG_(make_plain)(HChar* s, SizeT n, Bool lines);

/* Pass the rest of OUT's buffer to its function. */
void DCFG_(put_flush)(Put* out);

/* Return room for N characters in OUT's buffer.  The caller writes them and then
   says up to where. */
static inline HChar* DCFG_(put_room)(Put* out, UInt n)
{
   if (sizeof(out->buf) - out->used < n)
      DCFG_(put_flush)(out);
   return out->buf + out->used;
}

static inline void DCFG_(put_up_to)(Put* out, const HChar* end)
{
   out->used = end - out->buf;
}

#endif /* __DCFG_PUT_H */
