/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   JSON in pages. */

/* Owns: strings, columns and texts in pages.  Handed: any bytes. */

#include "cmd/page/page_json.h"

#include "format/put.h"
#include "cmd/base/cmd.h"
#include "cmd/base/interned.h"
#include "cmd/base/keymap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Return the bytes of the character at S, of LENGTH bytes left; 0 if it is not
   UTF-8. */
static size_t character(const char* s, size_t length)
{
   const unsigned char* c = (const unsigned char*)s;
   size_t               n = c[0] < 0x80 ? 1 : c[0] < 0xC2 ? 0
                            : c[0] < 0xE0 ? 2 : c[0] < 0xF0 ? 3
                            : c[0] < 0xF5 ? 4 : 0;

   if (n > length)
      return 0;
   for (size_t i = 1; i < n; i++)
      if ((c[i] & 0xC0) != 0x80)
         return 0;
   if ((c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xED && c[1] > 0x9F)
       || (c[0] == 0xF0 && c[1] < 0x90) || (c[0] == 0xF4 && c[1] > 0x8F))
      return 0;
   return n;
}

void page_string(FILE* out, const char* s, size_t length)
{
   putc('"', out);
   for (size_t n; length > 0; s += n, length -= n) {
      unsigned char c = (unsigned char)*s;
      n = character(s, length);
      if (n == 0 || (n > 1 && DCFG_(hidden)((const UChar*)s) != 0)) {
         fputs("\\ufffd", out);
         n = n == 0 ? 1 : n;
      } else if (c < ' ' || c == 0x7F || c == '"' || c == '\\') {
         fprintf(out, "\\u%04x", c);
      } else {
         fwrite(s, 1, n, out);
      }
   }
   putc('"', out);
}

void page_words(FILE* out, const char* s)
{
   page_string(out, s, s == NULL ? 0 : strlen(s));
}

void page_number(FILE* out, uint64_t n)
{
   fprintf(out, "%" PRIu64, n);
}

void page_between(FILE* out, bool first)
{
   if (!first)
      putc(',', out);
}

void page_column(FILE* out, const char* name)
{
   fputs(",\n", out);
   page_words(out, name);
   fputs(":[", out);
}

/*--- Texts                                                ---*/

struct PageTexts {
   Interned* texts;
   KeyMap*   numbers;           // keys: addresses of the texts
};

PageTexts* page_texts_new(void)
{
   PageTexts* t = zalloc(1, sizeof(*t));

   t->texts   = interned_new();
   t->numbers = keymap_new();
   page_text(t, "");
   return t;
}

uint32_t page_text(PageTexts* t, const char* s)
{
   return keymap_number(t->numbers, (uintptr_t)intern(t->texts, s));
}

void page_texts_write(PageTexts* t, FILE* out, const char* name)
{
   page_column(out, name);
   for (uint32_t i = 0; i < keymap_size(t->numbers); i++) {
      page_between(out, i == 0);
      page_words(out,
                 (const char*)(uintptr_t)keymap_key(t->numbers, i));
   }
   putc(']', out);
   keymap_free(t->numbers);
   interned_free(t->texts);
   free(t);
}
