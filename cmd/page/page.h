/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Pages for a browser. */

#ifndef DCFG_CMD_PAGE_H
#define DCFG_CMD_PAGE_H

#include <stdio.h>

/* PageFile: a file that the build has embedded: "name.js.inc" of "name.js".
   The hash is that of its text, as a content security policy has it. */
typedef
   struct {
      const char* hash;
      const char* text;
   }
   PageFile;

/* Page: the parts of a page.  The lists end with NULL; what all pages have,
   kit.css and kit.js, is in none. */
typedef
   struct Page {
      const PageFile*        body;
      const PageFile* const* styles;
      const PageFile* const* scripts;   // in the order in which they run
      const struct Page*     guest;     // another page, as a template of this
                                        // one: its body, styles and scripts
                                        // come first; or NULL
   }
   Page;

/* PageGuest: a page that one of another command can have as a pane. */
typedef
   struct {
      const Page* page;
      /* Write its data, a JSON object, to OUT: of AT, what a user asks of FILE.
         Images' files are looked for below ROOT, if that is not NULL. */
      void      (*write)(FILE* out, const char* file, const char* at,
                         const char* root);
   }
   PageGuest;

/* Offer G, which the front of the command does; and return what was offered, or
   NULL. */
void             page_offer(const PageGuest* g);
const PageGuest* page_guest(void);

/* Begin page P in OUT, a file of its own.  Return where its data goes, as JSON:
   with page_json.h's functions, or fprintf().  The page has it compressed. */
FILE* page_begin(FILE* out, const Page* p);

/* End page P and its DATA, which page_begin() has returned for OUT. */
void page_end(FILE* out, FILE* data, const Page* p);

#endif /* DCFG_CMD_PAGE_H */
