/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers and names for people. */

#ifndef DCFG_CMD_FORMAT_H
#define DCFG_CMD_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Functions that return text return a string that lives until text_forget().
   Programs that make much text call it now and then. */

char* text_format(const char* format, ...)
      __attribute__((format(printf, 1, 2)));
void  text_forget(void);

/* Return for example "1,234,567". */
const char* text_count(uint64_t n);

/* Return for example "12.3%"; "" if WHOLE is 0. */
const char* text_share(uint64_t part, uint64_t whole);

/* Return for example "+12%", "-1.5%" or "x20"; BEFORE is not 0. */
const char* text_change(uint64_t before, uint64_t after);

/* Return a short form of a count, for pictures: "12.3k", "4.5M". */
const char* text_rounded(uint64_t n);

/* Return the columns of a string on a terminal. */
size_t text_width(const char* s);

/* Shorten S to WIDTH columns, with ".." for its middle. */
const char* text_shorten(const char* s, size_t width);

/* Shorten S to WIDTH columns, with an ellipsis for its middle: for a
   terminal. */
const char* text_fit(const char* s, size_t width);

/* Cut S to WIDTH columns, with a mark in the last one. */
const char* text_cut(const char* s, size_t width);

/* Return S with a '?' for each hidden character: see terminal.h. */
const char* text_clean(const char* s);

/* Return S as a name in a stack "main;work;area": with ':' for each ';'. */
const char* text_frame(const char* s);

/* Return a line of a source file, of LENGTH bytes, with a '?' for each hidden
   character but tabs. */
const char* text_clean_line(const char* line, size_t length);

/* Return a symbol as in the source, if it is of C++ or Rust. */
const char* text_demangle(const char* symbol);

/* Return the name of a C++ function without parameters and return type:
   "std::sort<int*>". */
const char* text_brief(const char* demangled);

/* Return the rest of S behind the partner of its first bracket, one of <({; the
   end of S if there is no partner. */
const char* text_behind_bracket(const char* s);

/* Return the last part of a path. */
const char* text_base(const char* path);

/* Return a number made of the N bytes at S: FNV-1a of 64 bits,
   http://www.isthe.com/chongo/tech/comp/fnv/ */
uint64_t text_hash(const char* s, size_t n);

/* Return whether the N bytes at END are the whole names at the end of PATH,
   which may be NULL. */
bool text_ends_path(const char* path, const char* end, size_t n);

/* Return PATH without "/./", "//" and "/x/../": then a file has one path,
   wherever the compiler was started.  Return PATH itself if it has none of
   these. */
const char* text_plain_path(const char* path);

/* Write the plain path of PATH to TO, which has room for all of PATH. */
void text_make_plain_path(char* to, const char* path);
bool text_is_plain_path(const char* path);

/* The most digits of a number. */
#define MAX_DIGITS 20

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

/*--- Short names that stay different                      ---*/

/* LongName: a name for a column.  .hash tells apart two functions that have one
   name, such as instances of a generic function; NULL: there is none. */
typedef
   struct {
      const char* text;
      const char* hash;
   }
   LongName;

/* Return the begin of the hash in SYMBOL, a legacy symbol of Rust: "h81d3f0a2";
   NULL if it has none.  Valid until text_forget(). */
const char*  rust_hash(const char* symbol);

/* Return N NAMES in short: without parameters, and in WIDTH columns, 0: any.
   Names that would be equal then have more columns, parameters, or their hashes.
   The caller frees the array; its strings are valid until text_forget(). */
const char** short_names(const LongName* names, size_t n, size_t width);

/* Return N short names, fitted to WIDTH columns of a terminal, likewise.  Of
   names that would be equal, the parts that differ are shown. */
const char** fitted_names(const char* const* names, size_t n, size_t width);

#endif /* DCFG_CMD_FORMAT_H */
