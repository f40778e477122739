/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   JSON in pages. */

#ifndef DCFG_CMD_PAGE_JSON_H
#define DCFG_CMD_PAGE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Write a string of LENGTH bytes.  Hidden characters, and bytes that are not
   UTF-8, become U+FFFD. */
void page_string(FILE* out, const char* s, size_t length);

/* Do the same with S, which ends with 0; NULL is "". */
void page_words(FILE* out, const char* s);

void page_number(FILE* out, uint64_t n);

/* Write a comma, unless this is the FIRST element. */
void page_between(FILE* out, bool first);

/* Within an object, behind its first member: begin an array called NAME. */
void page_column(FILE* out, const char* name);

/* PageTexts: numbers for texts, each written once.  Number 0 is "". */
typedef struct PageTexts PageTexts;
PageTexts* page_texts_new(void);
uint32_t   page_text(PageTexts* t, const char* s);

/* Write all texts as an array called NAME, and free T. */
void       page_texts_write(PageTexts* t, FILE* out, const char* name);

#endif /* DCFG_CMD_PAGE_JSON_H */
