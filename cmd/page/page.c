/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Pages for a browser: a page's frame, its JSON and its compressed data. */

/* Owns: the frame of a page, one file that needs no other, its content security
   policy, strings, columns and texts of its data, and the compression of the data.
   Handed: embedded files; any bytes as data, as it is made, so memory does not
   grow with it.

   The policy names the hash of each script and style.  So a browser runs no
   script that a name or a source might contain, and connects to no server.  The
   data is gzip in base64 (RFC 4648), which kit.js unpacks. */

#include "cmd/page/page.h"

#include "cmd/base/format.h"
#include "cmd/base/result.h"
#include "cmd/base/keymap.h"
#include "format/put.h"

/*--- JSON                                                 ---*/

/* Return the bytes of the character at S, of LENGTH bytes left; 0 if it is not
   UTF-8. */
static size_t character(const char* s, size_t length)
{
   UChar c[5] = { 0 };

   if ((unsigned char)s[0] < 0x80)
      return 1;
   memcpy(c, s, length < 4 ? length : 4);
   return DCFG_(utf8_length)(c);
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

void page_member(FILE* out, const char* before, const char* s)
{
   fputs(before, out);
   page_words(out, s);
}

void page_number(FILE* out, uint64_t n)
{
   char text[24];

   fwrite(text, 1, (size_t)(put_decimal(text, n) - text), out);
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

const char* page_text_of(const PageTexts* t, uint32_t number)
{
   return (const char*)(uintptr_t)keymap_key(t->numbers, number);
}

void page_texts_write(PageTexts* t, FILE* out)
{
   page_column(out, "texts");
   for (uint32_t i = 0; i < keymap_size(t->numbers); i++) {
      page_between(out, i == 0);
      page_words(out, page_text_of(t, i));
   }
   putc(']', out);
   keymap_free(t->numbers);
   interned_free(t->texts);
   free(t);
}

/*--- Data                                                 ---*/

/* Write the N BYTES, at most GZIP_PIECE, in base64 (RFC 4648).  That is a
   multiple of 3, so only the last piece is padded. */
static void put_base64(FILE* out, const unsigned char* bytes, size_t n)
{
   static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789+/";
   char  text[GZIP_PIECE / 3 * 4];
   char* at = text;

   for (size_t i = 0; i < n; i += 3) {
      size_t   left = n - i;
      unsigned word = (unsigned)bytes[i] << 16
                      | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0)
                      | (left > 2 ? bytes[i + 2] : 0);
      *at++ = digits[word >> 18];
      *at++ = digits[word >> 12 & 63];
      *at++ = left > 1 ? digits[word >> 6 & 63] : '=';
      *at++ = left > 2 ? digits[word & 63] : '=';
   }
   fwrite(text, 1, (size_t)(at - text), out);
}

/*--- The frame                                            ---*/

#include "kit.css.inc"
#include "kit.js.inc"

/* Write the hash of each file of LIST, which may be NULL. */
static void put_hashes(FILE* out, const PageFile* const* list)
{
   for (size_t i = 0; list != NULL && list[i] != NULL; i++)
      fprintf(out, " '%s'", list[i]->hash);
}

static void put_files(FILE* out, const char* element,
                      const PageFile* const* list)
{
   for (size_t i = 0; list != NULL && list[i] != NULL; i++)
      fprintf(out, "<%s>%s</%s>\n", element, list[i]->text, element);
}

static const PageFile* const kit_styles[]  = { &kit_css, NULL };
static const PageFile* const kit_scripts[] = { &kit_js, NULL };

/*--- Guests                                               ---*/

static const PageGuest* offered;

void page_offer(const PageGuest* g)
{
   offered = g;
}

const PageGuest* page_guest(void)
{
   return offered;
}

/*--- Pages                                                ---*/

FILE* page_begin(FILE* out, const Page* p)
{
   static const Page nothing = { .body = NULL };
   const Page*       guest = p->guest != NULL ? p->guest : &nothing;

   fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
         "<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\""
         "default-src 'none'; base-uri 'none'; form-action 'none'; "
         "img-src data:; style-src", out);
   put_hashes(out, kit_styles);
   put_hashes(out, guest->styles);
   put_hashes(out, p->styles);
   fputs("; script-src", out);
   put_hashes(out, kit_scripts);
   put_hashes(out, guest->scripts);
   put_hashes(out, p->scripts);
   fputs("\">\n<meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n"
         "<link rel=\"icon\" href=\"data:,\">\n<title>dcfg</title>\n", out);
   put_files(out, "style", kit_styles);
   put_files(out, "style", guest->styles);
   put_files(out, "style", p->styles);
   fputs("</head>\n<body>\n", out);
   fputs(p->body->text, out);
   if (guest->body != NULL)
      fprintf(out, "<template id=\"guest\">\n%s</template>\n",
              guest->body->text);
   fputs("<script type=\"application/gzip\" id=\"data\">", out);
   return gzip_open(out, 6, put_base64);
}

void page_end(FILE* out, FILE* data, const Page* p)
{
   fclose(data);
   fputs("</script>\n", out);
   put_files(out, "script", kit_scripts);
   if (p->guest != NULL)
      put_files(out, "script", p->guest->scripts);
   put_files(out, "script", p->scripts);
   fputs("</body>\n</html>\n", out);
}
