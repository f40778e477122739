/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Files for results. */

#ifndef DCFG_CMD_RESULT_H
#define DCFG_CMD_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Open a file for a result.  It gets its name when all results are complete;
   otherwise it is removed.  If PATH is a link, its target is replaced; a file
   that is not regular is written in place.  If PATH ends in .gz, .bz2, .xz or
   .zst, the text goes through that program.  NULL and "-": the standard output.
   All these functions exit after an error. */
FILE* open_result(const char* path);

/* Do the same for data of gigabytes that repeat themselves.  xz runs with -2 and
   on all processors: with its own default it is 30 times slower there. */
FILE* open_long_result(const char* path);

/* Do the same for a file that only the user may read. */
FILE* open_private_result(const char* path);

/* Do the same for text that is compressed already, whatever the suffix of
   PATH. */
FILE* open_result_as_it_is(const char* path);

/* Complete F, which is not the standard output. */
void  finish_result(FILE* f);

/* Give all results their names: all are complete. */
void  name_results(void);

/* Complete and name all open results, and flush the standard output. */
void  close_results(void);

/* Do the same, and print to stderr what to type next; lines end with
   newlines. */
void  say_next(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* Return the suffix of PATH that names a compressor, or the end of PATH. */
const char* compressed_suffix(const char* path);

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

#endif /* DCFG_CMD_RESULT_H */
