/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Pages for a browser, and JSON in them. */

#ifndef DCFG_CMD_PAGE_H
#define DCFG_CMD_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*--- Pages                                                ---*/

/* PageFile: a file that the build embedded: "name.js.inc" defines name_js.  The
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
   to be written by the functions below, or fprintf().  The page has
   the data compressed. */
FILE* page_begin(FILE* out, const Page* p);

/* End page P and its DATA, the file that page_begin() returned for OUT. */
void page_end(FILE* out, FILE* data, const Page* p);

/*--- JSON                                                 ---*/

/* Write a string of LENGTH bytes.  Hidden characters, and bytes that are not
   UTF-8, become U+FFFD. */
void page_string(FILE* out, const char* s, size_t length);

/* Do the same with S, which ends with 0; NULL is "". */
void page_words(FILE* out, const char* s);

/* Write BEFORE, such as ",\"name\":", and S likewise. */
void page_member(FILE* out, const char* before, const char* s);

void page_number(FILE* out, uint64_t n);

/* Write a comma, unless this is the FIRST element. */
void page_between(FILE* out, bool first);

/* Within an object, behind its first member: begin an array called NAME. */
void page_column(FILE* out, const char* name);

/* PageTexts: numbers for texts, each written once.  Number 0 is "". */
typedef struct PageTexts PageTexts;
PageTexts* page_texts_new(void);
uint32_t   page_text(PageTexts* t, const char* s);

/* Return the text of a number, valid as long as T. */
const char* page_text_of(const PageTexts* t, uint32_t number);

/* Write all texts as the array "texts", and free T. */
void       page_texts_write(PageTexts* t, FILE* out);

#endif /* DCFG_CMD_PAGE_H */
