/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The look of drawings. */

#ifndef DCFG_CMD_DOT_STYLE_H
#define DCFG_CMD_DOT_STYLE_H

#include <stdint.h>
#include <stdio.h>

/* Write S as part of a quoted string. */
void dot_text(FILE* out, const char* s);

/* Return the colour of an area for PART of WHOLE, the hottest one's number;
   return the colour of text in that area. */
const char* heat_colour(uint64_t part, uint64_t whole);
const char* ink_colour(uint64_t part, uint64_t whole);

/* Return the width of a line for COUNT, if the most frequent one has MOST. */
double      line_width(uint64_t count, uint64_t most);

#endif /* DCFG_CMD_DOT_STYLE_H */
