/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Pages for a browser. */

#ifndef DCFG_CMD_PAGE_H
#define DCFG_CMD_PAGE_H

#include <stdio.h>

/* PageFile: a file that the build embedded: "name.js.inc" from "name.js".  The
   hash is its text's, in the form of a content security policy. */
typedef
   struct {
      const char* hash;
      const char* text;
   }
   PageFile;

/* Page: the parts of a page.  Lists end with NULL.  kit.css and kit.js, which
   all pages have, are not in the lists. */
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
      /* Write the page's data of FILE, a JSON object, to OUT.  AT: the place
         that the user asks about.  Images' files are looked for below ROOT, if
         that is not NULL. */
      void      (*write)(FILE* out, const char* file, const char* at,
                         const char* root);
   }
   PageGuest;

/* Offer G, which the front of the command does; and return what was offered, or
   NULL. */
void             page_offer(const PageGuest* g);
const PageGuest* page_guest(void);

/* Begin page P in OUT, a file of its own.  Return a file for its data in JSON,
   to be written by the functions of page_json.h, or fprintf().  The page has
   the data compressed. */
FILE* page_begin(FILE* out, const Page* p);

/* End page P and its DATA, the file that page_begin() returned for OUT. */
void page_end(FILE* out, FILE* data, const Page* p);

#endif /* DCFG_CMD_PAGE_H */
