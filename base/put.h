/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Text on its way out. */

#ifndef __DCFG_PUT_H
#define __DCFG_PUT_H

#include "base/port.h"

/* Takes N bytes at a time. */
typedef void (*PutFn)(void* arg, const HChar* text, UInt n);

typedef
   struct {
      PutFn write;
      void* arg;
      ULong n_bytes;      // that have been passed on
      UInt  used;
      HChar buf[65536];
   }
   Put;

/* What is put to OUT goes to WRITE, which is given ARG. */
void DCFG_(start_put)(Put* out, PutFn write, void* arg);

/* A character, text as it is, a number. */
void DCFG_(put_char)(Put* out, HChar c);
void DCFG_(put_text)(Put* out, const HChar* s);
void DCFG_(put_number)(Put* out, ULong n);

/* N bytes, whatever they are. */
void DCFG_(put_bytes)(Put* out, const void* bytes, UInt n);

/* S as a JSON string.  Bytes that are not UTF-8 become the characters
   with their numbers, so that any name makes valid JSON; hidden characters
   become escapes. */
void DCFG_(put_string)(Put* out, const HChar* s);

/* The length of the UTF-8 sequence that S starts with, or 0 if it does
   not start with one (RFC 3629). */
UInt DCFG_(utf8_length)(const UChar* s);

/* The number of the character that S starts with if it is a hidden one, which
   controls a terminal (C0, DEL, C1), or turns or breaks lines; of a byte that
   is not UTF-8 its own number.  0: the character may be shown. */
UInt DCFG_(hidden)(const UChar* s);

/* Write a '?' for each hidden character of S.  Returns S. */
HChar* DCFG_(make_plain)(HChar* s);

/* Pass on what is still in OUT's buffer. */
void DCFG_(put_flush)(Put* out);

#endif /* __DCFG_PUT_H */
