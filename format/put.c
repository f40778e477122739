/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the buffer between the writers of text and the file, and JSON's form
   of strings.  Handed: characters, numbers, strings by all writers. */

#include "format/put.h"

void DCFG_(start_put)(Put* out, PutFn write, void* arg)
{
   out->write   = write;
   out->arg     = arg;
   out->n_bytes = 0;
   out->used    = 0;
}

void DCFG_(put_flush)(Put* out)
{
   if (out->used > 0)
      out->write(out->arg, out->buf, out->used);
   out->n_bytes += out->used;
   out->used     = 0;
}

void DCFG_(put_char)(Put* out, HChar c)
{
   if (out->used == sizeof(out->buf))
      DCFG_(put_flush)(out);
   out->buf[out->used++] = c;
}

void DCFG_(put_text)(Put* out, const HChar* s)
{
   const HChar* end = out->buf + sizeof(out->buf);
   HChar*       to  = out->buf + out->used;

   for (; *s; *to++ = *s++)
      if (to == end) {
         out->used = sizeof(out->buf);
         DCFG_(put_flush)(out);
         to = out->buf;
      }
   out->used = to - out->buf;
}

void DCFG_(put_bytes)(Put* out, const void* bytes, UInt n)
{
   const HChar* from = bytes;

   /* Much goes without the buffer. */
   if (n >= sizeof(out->buf)) {
      DCFG_(put_flush)(out);
      out->write(out->arg, from, n);
      out->n_bytes += n;
      return;
   }
   while (n > 0) {
      if (out->used == sizeof(out->buf))
         DCFG_(put_flush)(out);
      UInt room = sizeof(out->buf) - out->used;
      UInt some = room < n ? room : n;
      dcfg_memcpy(out->buf + out->used, from, some);
      out->used += some;
      from      += some;
      n         -= some;
   }
}

/* The numbers 0 to 99, two digits each. */
static const HChar pairs[] =
   "0001020304050607080910111213141516171819"
   "2021222324252627282930313233343536373839"
   "4041424344454647484950515253545556575859"
   "6061626364656667686970717273747576777879"
   "8081828384858687888990919293949596979899";

void DCFG_(put_number)(Put* out, ULong n)
{
   HChar digits[20];
   UInt  i = sizeof(digits);

   for (; n >= 100; n /= 100) {
      digits[--i] = pairs[n % 100 * 2 + 1];
      digits[--i] = pairs[n % 100 * 2];
   }
   digits[--i] = pairs[n * 2 + 1];
   if (n >= 10)
      digits[--i] = pairs[n * 2];
   if (sizeof(out->buf) - out->used < sizeof(digits))
      DCFG_(put_flush)(out);
   while (i < sizeof(digits))
      out->buf[out->used++] = digits[i++];
}

void DCFG_(put_numbers)(Put* out, const ULong* numbers, UInt n)
{
   for (UInt i = 0; i < n; i++) {
      if (i > 0)
         DCFG_(put_text)(out, ", ");
      DCFG_(put_number)(out, numbers[i]);
   }
}

UInt DCFG_(utf8_length)(const UChar* s)
{
   UInt n;

   if (s[0] < 0x80)
      return 1;
   if (s[0] >= 0xC2 && s[0] <= 0xDF)
      n = 2;
   else if (s[0] >= 0xE0 && s[0] <= 0xEF)
      n = 3;
   else if (s[0] >= 0xF0 && s[0] <= 0xF4)
      n = 4;
   else
      return 0;
   for (UInt i = 1; i < n; i++)
      if ((s[i] & 0xC0) != 0x80)
         return 0;
   /* Overlong forms, surrogates, and numbers beyond the last code point. */
   if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F)
       || (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))
      return 0;
   return n;
}

UInt DCFG_(hidden)(const UChar* s)
{
   UInt n = DCFG_(utf8_length)(s);
   UInt c = n == 3 ? (s[0] & 15u) << 12 | (s[1] & 63u) << 6 | (s[2] & 63u)
            : n == 2 ? (s[0] & 31u) << 6 | (s[1] & 63u) : s[0];

   return n == 0 || c < 0x20 || (c >= 0x7F && c < 0xA0)
          || c == 0x61C || c == 0x200E || c == 0x200F
          || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069)
          ? c : 0;
}

SizeT DCFG_(make_plain)(HChar* s, SizeT n, Bool lines)
{
   const HChar* end = s + n;
   HChar*       to  = s;

   for (const HChar* from = s; from < end; ) {
      UInt size   = DCFG_(utf8_length)((const UChar*)from);
      Bool hidden = *from == 0 || DCFG_(hidden)((const UChar*)from) != 0;
      size = size == 0 ? 1 : size;
      if (hidden && !(lines && (*from == '\n' || *from == '\t')))
         *to++ = '?';
      else
         for (UInt i = 0; i < size; i++)
            *to++ = from[i];
      from += size;
   }
   *to = 0;
   return to - s;
}

static void put_escape(Put* out, UInt c)
{
   DCFG_(put_text)(out, "\\u");
   for (UInt shift = 16; shift > 0; ) {
      shift -= 4;
      DCFG_(put_char)(out, "0123456789abcdef"[c >> shift & 15]);
   }
}

/* Return whether C stands for itself in a string of JSON. */
static inline Bool is_usual(UChar c)
{
   return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

void DCFG_(put_string)(Put* out, const HChar* str)
{
   const UChar* s = (const UChar*)str;

   DCFG_(put_char)(out, '"');
   while (*s) {
      UInt n, c;
      if (is_usual(*s)) {
         DCFG_(put_char)(out, *s++);
         continue;
      }
      n = DCFG_(utf8_length)(s);
      c = DCFG_(hidden)(s);
      if (*s == '"' || *s == '\\') {
         DCFG_(put_char)(out, '\\');
         DCFG_(put_char)(out, *s);
      } else if (c != 0) {
         put_escape(out, c);
      } else {
         for (UInt i = 0; i < n; i++)
            DCFG_(put_char)(out, s[i]);
      }
      s += n ? n : 1;
   }
   DCFG_(put_char)(out, '"');
}
