/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Pages for a browser. */

/* Owns: the frame of a page, one file that needs no other, and its content
   security policy.  Handed: embedded files, data.  Taken by: dcfg slice, dcfg
   view.

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

static void put_hashes(FILE* out, const char* what, const PageFile* kit,
                       const PageFile* const* files)
{
   fprintf(out, "; %s '%s'", what, kit->hash);
   for (size_t i = 0; files[i] != NULL; i++)
      fprintf(out, " '%s'", files[i]->hash);
}

static void put_files(FILE* out, const char* element, const PageFile* kit,
                      const PageFile* const* files)
{
   fprintf(out, "<%s>%s</%s>\n", element, kit->text, element);
   for (size_t i = 0; files[i] != NULL; i++)
      fprintf(out, "<%s>%s</%s>\n", element, files[i]->text, element);
}

FILE* page_begin(FILE* out, const Page* p)
{
   fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
         "<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\""
         "default-src 'none'; base-uri 'none'; form-action 'none'; "
         "img-src data:", out);
   put_hashes(out, "style-src", &kit_style, p->styles);
   put_hashes(out, "script-src", &kit_script, p->scripts);
   fputs("\">\n<meta name=\"viewport\" "
         "content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n"
         "<link rel=\"icon\" href=\"data:,\">\n<title>dcfg</title>\n", out);
   put_files(out, "style", &kit_style, p->styles);
   fputs("</head>\n<body>\n", out);
   fputs(p->body->text, out);
   fputs("<script type=\"application/gzip\" id=\"data\">", out);
   return page_data_open(out);
}

void page_end(FILE* out, FILE* data, const Page* p)
{
   page_data_close(data);
   fputs("</script>\n", out);
   put_files(out, "script", &kit_script, p->scripts);
   fputs("</body>\n</html>\n", out);
}
