/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Short names that stay different. */

/* Owns: how names are shortened where several stand below each other.
   Handed: a column's names.

   Two names can have one short form: overloaded functions of C++, which differ
   in parameters; methods of two types, whose middle is left out.  Such names get
   longer forms, until they differ. */

#include "cmd/base/apart.h"

#include "cmd/base/cmd.h"
#include "cmd/base/format.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Entry: a name in the order of its short form. */
typedef
   struct {
      const char* shown;
      const char* text;
      const char* hash;         // not NULL
      size_t      index;
   }
   Entry;

COMPARE(by_text, Entry, strcmp(x->text, y->text) ?: strcmp(x->hash, y->hash)
        ?: UP(index))
COMPARE(by_shown, Entry, strcmp(x->shown, y->shown) ?: by_text(a, b))

/* The letters of a hash that are shown, with the "h": eight of sixteen. */
#define SHOWN_HASH 9
#define HASH "17h"

const char* rust_hash(const char* symbol)
{
   size_t      n = strlen(symbol);
   const char* hash = n < 21 ? NULL : symbol + n - 20;

   /* Suffixes, such as ".llvm.123", stand behind it. */
   if (strncmp(symbol, "_ZN", 3) != 0)
      return NULL;
   if (hash == NULL || strncmp(hash, HASH, 3) != 0 || symbol[n - 1] != 'E') {
      hash = strstr(symbol, "E.");
      hash = hash == NULL || hash - symbol < 20 ? NULL : hash - 19;
   }
   return hash == NULL || strncmp(hash, HASH, 3) != 0
          || strspn(hash + 3, "0123456789abcdef") != 16
          ? NULL : text_format("%.*s", SHOWN_HASH, hash + 2);
}

/* Append hashes to names that differ in nothing else. */
static void add_hashes(Entry* e, size_t n)
{
   qsort(e, n, sizeof(*e), by_text);
   for (size_t i = 0, end; i < n; i = end) {
      const char* text = e[i].text;
      for (end = i; end < n && strcmp(e[end].text, text) == 0; end++)
         ;
      if (strcmp(e[i].hash, e[end - 1].hash) == 0)
         continue;
      for (size_t k = i; k < end; k++)
         if (e[k].hash[0] != 0)
            e[k].text = text_format("%s [%s]", e[k].text, e[k].hash);
   }
}

/* Call LENGTHEN for the entries whose .shown is equal although their names
   differ.  Return whether there are any. */
static bool each_equal(Entry* e, size_t n,
                       void (*lengthen)(Entry* e, size_t n, size_t width),
                       size_t width)
{
   bool any = false;

   qsort(e, n, sizeof(*e), by_shown);
   for (size_t i = 0, end; i < n; i = end) {
      const char* shown = e[i].shown;
      for (end = i; end < n && strcmp(e[end].shown, shown) == 0; end++)
         ;
      if (strcmp(e[i].text, e[end - 1].text) == 0)
         continue;
      any = true;
      lengthen(e + i, end - i, width);
   }
   return any;
}

static void widen(Entry* e, size_t n, size_t width)
{
   for (size_t i = 0; i < n; i++)
      e[i].shown = width == 0 ? e[i].text : text_shorten(e[i].text, width);
}

static const char** shown_of(Entry* e, size_t n)
{
   const char** shown = zalloc(n, sizeof(*shown));

   for (size_t i = 0; i < n; i++)
      shown[e[i].index] = e[i].shown;
   free(e);
   return shown;
}

const char** short_names(const LongName* names, size_t n, size_t width)
{
   Entry* e = zalloc(n, sizeof(*e));

   for (size_t i = 0; i < n; i++)
      e[i] = (Entry){ .text = names[i].text, .index = i,
                      .hash = names[i].hash != NULL ? names[i].hash : "" };
   if (n > 0)
      add_hashes(e, n);
   for (size_t i = 0; i < n; i++) {
      const char* brief = text_brief(e[i].text);
      e[i].shown = width == 0 ? brief : text_shorten(brief, width);
   }
   /* The whole names differ, so this ends. */
   for (size_t more = width; n > 0 && each_equal(e, n, widen, more)
                             && more > 0 && more < SIZE_MAX / 2; )
      more = more + more / 4;
   return shown_of(e, n);
}

/* Show the begin of each name, and where it begins to differ from its
   neighbours.  The entries are sorted. */
static void show_difference(Entry* e, size_t n, size_t width)
{
   const size_t head = width / 4;

   for (size_t i = 0; i < n; i++) {
      const char* s = e[i].text;
      size_t      at = 0;
      for (int side = -1; side <= 1; side += 2) {
         const char* other = i == 0 && side < 0 ? NULL : i + 1 == n && side > 0
                             ? NULL : e[i + (size_t)side].text;
         size_t k = 0;
         while (other != NULL && s[k] != 0 && s[k] == other[k])
            k++;
         at = k > at ? k : at;
      }
      while (at > 0 && ((unsigned char)s[at] & 0xc0) == 0x80)
         at--;
      if (at > head + 2)
         e[i].shown = text_cut(text_format("%s%s", text_cut(s, head), s + at),
                               width);
      else
         e[i].shown = text_cut(s, width);
   }
}

const char** fitted_names(const char* const* names, size_t n, size_t width)
{
   Entry* e = zalloc(n, sizeof(*e));

   for (size_t i = 0; i < n; i++)
      e[i] = (Entry){ .shown = text_fit(names[i], width), .text = names[i],
                      .hash = "", .index = i };
   if (n > 0)
      each_equal(e, n, show_difference, width);
   return shown_of(e, n);
}
