/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Fast output of text, compressed if the name says so. */

#ifndef DCFG_CMD_OUTFILE_H
#define DCFG_CMD_OUTFILE_H

#include <stdint.h>

/* Outfile: writes text, faster than stdio. */
typedef
   struct {
      const char* path;         // NULL: the standard output
      int         fd;
      uint32_t    used;
      char        text[1 << 16];
   }
   Outfile;

/* Open PATH as open_result() does; NULL: the standard output.  All these
   functions exit after an error. */
Outfile* outfile_open(const char* path);
void     outfile_close(Outfile* o);

void out_flush(Outfile* o);
void out_text(Outfile* o, const char* s);
void out_decimal(Outfile* o, uint64_t n);
void out_hex(Outfile* o, uint64_t n);

/* The most digits of a number. */
#define MAX_DIGITS 20

static inline void out_char(Outfile* o, char c)
{
   if (o->used == sizeof(o->text))
      out_flush(o);
   o->text[o->used++] = c;
}

/* Return how many decimal digits N has. */
static inline unsigned digits_of(uint64_t n)
{
   static const uint64_t powers[MAX_DIGITS] = {
      0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
      1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000,
      100000000000000, 1000000000000000, 10000000000000000,
      100000000000000000, 1000000000000000000, 10000000000000000000u
   };
   /* log10(2) is about 1233/4096; the result is at most one too low. */
   unsigned least = (64 - (unsigned)__builtin_clzll(n | 1)) * 1233 >> 12;

   return least + (n >= powers[least]);
}

/* Write N in decimal at AT.  Return the end. */
static inline char* put_decimal(char* at, uint64_t n)
{
   static const char pairs[] =
      "00010203040506070809101112131415161718192021222324"
      "25262728293031323334353637383940414243444546474849"
      "50515253545556575859606162636465666768697071727374"
      "75767778798081828384858687888990919293949596979899";
   char* end = at + digits_of(n);
   char* to  = end;

   for (; n >= 100; n /= 100) {
      *--to = pairs[2 * (n % 100) + 1];
      *--to = pairs[2 * (n % 100)];
   }
   *--to = pairs[2 * n + 1];
   if (n >= 10)
      *--to = pairs[2 * n];
   return end;
}

/* Return room for N characters.  The caller writes them and then says up to
   where. */
static inline char* out_room(Outfile* o, uint32_t n)
{
   if (sizeof(o->text) - o->used < n)
      out_flush(o);
   return o->text + o->used;
}

static inline void out_up_to(Outfile* o, const char* end)
{
   o->used = (uint32_t)(end - o->text);
}

#endif /* DCFG_CMD_OUTFILE_H */
