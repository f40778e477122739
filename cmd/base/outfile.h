/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A file that is written, compressed if its name says. */

#ifndef DCFG_CMD_OUTFILE_H
#define DCFG_CMD_OUTFILE_H

#include <stdint.h>

/* Text on its way out, faster than by stdio. */
typedef
   struct {
      const char* path;         // NULL: the standard output
      int         fd;
      uint32_t    used;
      char        text[1 << 16];
   }
   Outfile;

/* To PATH, as open_result() has it; NULL: the standard output.  Dies if that
   cannot be done, as all of these. */
Outfile* outfile_open(const char* path);
void     outfile_close(Outfile* o);

void out_flush(Outfile* o);
void out_text(Outfile* o, const char* s);
void out_decimal(Outfile* o, uint64_t n);
void out_hex(Outfile* o, uint64_t n);

/* No number has more digits. */
#define MAX_DIGITS 20

static inline void out_char(Outfile* o, char c)
{
   if (o->used == sizeof(o->text))
      out_flush(o);
   o->text[o->used++] = c;
}

/* How many decimal digits N has. */
static inline unsigned digits_of(uint64_t n)
{
   static const uint64_t powers[MAX_DIGITS] = {
      0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
      1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000,
      100000000000000, 1000000000000000, 10000000000000000,
      100000000000000000, 1000000000000000000, 10000000000000000000u
   };
   /* The logarithm of 2 is 1233/4096; that is one too low at most. */
   unsigned least = (64 - (unsigned)__builtin_clzll(n | 1)) * 1233 >> 12;

   return least + (n >= powers[least]);
}

/* N in decimal, at AT.  Returns what is behind it. */
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

/* Room for N characters, which are put there; then it is told up to where. */
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
