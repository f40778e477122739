/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Cleaning text for a terminal. */

/* Owns: the choice of characters that are shown.  Handed: text.

   Names come from files that somebody else may have made.  Output formats
   escape special characters in names, but a terminal obeys control characters.
   So all output goes through here, in case some name was not cleaned before. */

#define _GNU_SOURCE 1   // for fopencookie

#include "cmd/base/clean.h"

#include "format/put.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

size_t clean_text(char* text, size_t n, bool lines)
{
   const char* end = text + n;
   const char* from = text;
   char*       to = text;

   while (from < end) {
      const UChar* c = (const UChar*)from;
      UInt         size = DCFG_(utf8_length)(c);
      bool         hidden = *c == 0 || DCFG_(hidden)(c) != 0;
      size = size == 0 ? 1 : size;
      if (hidden && !(lines && (*c == '\n' || *c == '\t')))
         *to++ = '?';
      else
         for (UInt i = 0; i < size; i++)
            *to++ = from[i];
      from += size;
   }
   *to = 0;
   return (size_t)(to - text);
}

/*--- The standard output                                  ---*/

#define MAX_CHARACTER 4
#define PIECE         (1 << 16)

/* Begun: the first bytes of a character that is not complete yet. */
typedef
   struct {
      char   text[MAX_CHARACTER];
      size_t n;
   }
   Begun;

static int  first_error;        // errno of the first write that failed, or 0
static bool is_no_text;
static void (*before_output)(void);

/* Note errno, of a write that failed. */
static void note_error(void)
{
   first_error = first_error != 0 ? first_error : errno;
}

static bool write_all(const char* text, size_t n)
{
   void (*start)(void) = before_output;

   if (start != NULL && n > 0) {
      before_output = NULL;
      start();
   }
   while (n > 0) {
      ssize_t k = write(STDOUT_FILENO, text, n);
      if (k < 0 && errno == EINTR)
         continue;
      if (k < 0) {
         note_error();
         return false;
      }
      text += k;
      n    -= (size_t)k;
   }
   return true;
}

/* Return how many of the last bytes begin a character that needs more bytes. */
static size_t begun_at_end(const char* text, size_t n)
{
   for (size_t k = 1; k < MAX_CHARACTER && k <= n; k++) {
      unsigned char c = (unsigned char)text[n - k];
      if ((c & 0xC0) == 0x80)
         continue;
      return (c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1) > k ? k : 0;
   }
   return 0;
}

static bool write_clean(Begun* b, const char* text, size_t n)
{
   char   piece[MAX_CHARACTER + PIECE + 1];
   size_t all = b->n + n;

   memcpy(piece, b->text, b->n);
   memcpy(piece + b->n, text, n);
   b->n = n == 0 ? 0 : begun_at_end(piece, all);
   all -= b->n;
   memcpy(b->text, piece + all, b->n);
   piece[all] = 0;
   return write_all(piece, clean_text(piece, all, true));
}

static ssize_t pass(void* begun, const char* text, size_t n)
{
   if (is_no_text)
      return write_all(text, n) ? (ssize_t)n : 0;
   for (size_t at = 0, k; at < n; at += k) {
      k = n - at < PIECE ? n - at : PIECE;
      if (!write_clean(begun, text + at, k))
         return 0;
   }
   return (ssize_t)n;
}

static int end(void* begun)
{
   if (write_clean(begun, "", 0) && close(STDOUT_FILENO) == 0)
      return 0;
   note_error();
   return -1;
}

void clean_stdout(void)
{
   static const cookie_io_functions_t functions = { .write = pass,
                                                    .close = end };
   static Begun begun;
   static FILE* clean;

   is_no_text = false;
   if (clean == NULL && (clean = fopencookie(&begun, "w", functions)) != NULL) {
      setvbuf(clean, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, PIECE);
      stdout = clean;
   }
}

void print_unclean(const char* text)
{
   bool was_no_text = is_no_text;

   fflush(stdout);
   is_no_text = true;
   fputs(text, stdout);
   fflush(stdout);
   is_no_text = was_no_text;
}

int stdout_error(void)
{
   return first_error;
}

void clean_before_output(void (*start)(void))
{
   before_output = start;
}

void do_not_clean_stdout(void)
{
   is_no_text = true;
}
