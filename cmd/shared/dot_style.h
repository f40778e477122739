/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The look of drawings. */

#ifndef DCFG_CMD_DOT_STYLE_H
#define DCFG_CMD_DOT_STYLE_H

#include <stdint.h>
#include <stdio.h>

/* S as a part of a quoted string. */
void dot_text(FILE* out, const char* s);

/* Colours for something that has PART of the hottest one's WHOLE: of an
   area, and of the text in it. */
const char* heat_colour(uint64_t part, uint64_t whole);
const char* ink_colour(uint64_t part, uint64_t whole);

/* How thick a line for COUNT is, where the most frequent has MOST. */
double      line_width(uint64_t count, uint64_t most);

#endif /* DCFG_CMD_DOT_STYLE_H */
