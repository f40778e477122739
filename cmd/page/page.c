/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Pages for a browser. */

/* Owns: the frame of a page, one file that needs no other, and its content
   security policy.  Handed: embedded files, data.

   The policy names the hash of each script and style.  So a browser runs no
   script that a name or a source might contain, and connects to no server.
   kit.js unpacks the data. */

#include "cmd/page/page.h"

#include "cmd/page/page_data.h"

static const PageFile kit_style =
#include "kit.css.inc"
;
static const PageFile kit_script =
#include "kit.js.inc"
;

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

static const PageFile* const kit_styles[]  = { &kit_style, NULL };
static const PageFile* const kit_scripts[] = { &kit_script, NULL };

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
   return page_data_open(out);
}

void page_end(FILE* out, FILE* data, const Page* p)
{
   page_data_close(data);
   fputs("</script>\n", out);
   put_files(out, "script", kit_scripts);
   if (p->guest != NULL)
      put_files(out, "script", p->guest->scripts);
   put_files(out, "script", p->scripts);
   fputs("</body>\n</html>\n", out);
}
