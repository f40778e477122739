/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Putting packets together and taking them apart. */

/* Owns: the buffer that grows, hexadecimal digits, escapes of XML.  Handed:
   text and bytes. */

#include "cmd/gdb/gdb_text.h"

#include "cmd/base/cmd.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void gdb_text_free(GdbText* t)
{
   free(t->data);
   *t = (GdbText){ .n = 0 };
}

void gdb_put_bytes(GdbText* t, const void* data, size_t n)
{
   if (t->n + n + 1 > t->room) {
      t->room = 2 * (t->n + n + 1);
      t->data = need(realloc(t->data, t->room));
   }
   if (n > 0)
      memcpy(t->data + t->n, data, n);
   t->n         += n;
   t->data[t->n] = 0;
}

void gdb_put(GdbText* t, const char* format, ...)
{
   va_list args;
   char    text[1024];
   int     n;

   va_start(args, format);
   n = vsnprintf(text, sizeof(text), format, args);
   va_end(args);
   gdb_put_bytes(t, text, n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n
                          : sizeof(text) - 1);
}

void gdb_put_hex(GdbText* t, const uint8_t* bytes, size_t n)
{
   static const char digits[] = "0123456789abcdef";

   for (size_t i = 0; i < n; i++) {
      char two[2] = { digits[bytes[i] >> 4], digits[bytes[i] & 15] };
      gdb_put_bytes(t, two, 2);
   }
}

void gdb_put_xml(GdbText* t, const char* s)
{
   for (; *s != 0; s++)
      if (*s == '&' || *s == '<' || *s == '>' || *s == '"' || *s == '\''
          || (unsigned char)*s < ' ')
         gdb_put(t, "&#%d;", (unsigned char)*s < ' ' ? '?' : *s);
      else
         gdb_put_bytes(t, s, 1);
}

static int digit(char c)
{
   return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
          : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool gdb_take_number(const char** at, uint64_t* number)
{
   const char* begin = *at;

   for (*number = 0; digit(**at) >= 0; ++*at) {
      if (*number >> 60 != 0)
         return false;
      *number = *number << 4 | (unsigned)digit(**at);
   }
   return *at != begin;
}

bool gdb_take(const char** at, char c)
{
   bool there = **at == c && c != 0;

   *at += there;
   return there;
}

ssize_t gdb_from_hex(const char* s, size_t n, uint8_t* to)
{
   if (n % 2 != 0)
      return -1;
   for (size_t i = 0; i < n; i += 2) {
      if (digit(s[i]) < 0 || digit(s[i + 1]) < 0)
         return -1;
      to[i / 2] = (uint8_t)(digit(s[i]) << 4 | digit(s[i + 1]));
   }
   return (ssize_t)(n / 2);
}
