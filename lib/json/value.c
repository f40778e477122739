/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers and text of a file. */

/* Owns: which texts are numbers, and which bytes are UTF-8.  Handed: values of
   a file, which may be anything.  Taken by: walk.c. */

#include "lib/json/value.h"

bool read_digits(const char* s, size_t len, unsigned base,
                        uint64_t* n)
{
   uint64_t v = 0;

   if (len == 0)
      return false;
   for (size_t i = 0; i < len; i++) {
      unsigned d;
      if (s[i] >= '0' && s[i] <= '9')
         d = (unsigned)(s[i] - '0');
      else if (s[i] >= 'a' && s[i] <= 'f')
         d = (unsigned)(s[i] - 'a') + 10;
      else if (s[i] >= 'A' && s[i] <= 'F')
         d = (unsigned)(s[i] - 'A') + 10;
      else
         return false;
      if (d >= base || v > (UINT64_MAX - d) / base)
         return false;
      v = v * base + d;
   }
   *n = v;
   return true;
}

bool read_c_number(const char* s, size_t len, uint64_t* n)
{
   if (len > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
      return read_digits(s + 2, len - 2, 16, n);
   if (len > 1 && s[0] == '0')
      return read_digits(s + 1, len - 1, 8, n);
   return read_digits(s, len, 10, n);
}

bool is_utf8(const char* str, size_t len)
{
   const unsigned char* s = (const unsigned char*)str;

   for (size_t i = 0; i < len; ) {
      unsigned n = s[i] < 0x80 ? 1 : s[i] < 0xC2 ? 0 : s[i] < 0xE0 ? 2
                 : s[i] < 0xF0 ? 3 : s[i] < 0xF5 ? 4 : 0;
      if (n == 0 || n > len - i)
         return false;
      for (unsigned k = 1; k < n; k++)
         if ((s[i + k] & 0xC0) != 0x80)
            return false;
      if ((s[i] == 0xE0 && s[i + 1] < 0xA0)
          || (s[i] == 0xED && s[i + 1] > 0x9F)
          || (s[i] == 0xF0 && s[i + 1] < 0x90)
          || (s[i] == 0xF4 && s[i + 1] > 0x8F))
         return false;
      i += n;
   }
   return true;
}
