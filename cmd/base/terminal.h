/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Properties of the terminal. */

#ifndef DCFG_CMD_TERMINAL_H
#define DCFG_CMD_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ColorChoice: the values of --color. */
typedef enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } ColorChoice;

typedef
   enum { STYLE_PLAIN, STYLE_HEADING, STYLE_HOT, STYLE_WARM, STYLE_NOT_RUN }
   Style;

/* Find out what standard output is.  Called before a pager replaces the
   terminal. */
void   terminal_find(ColorChoice color);

/* Return whether standard output is a terminal. */
bool   terminal_is_there(void);

/* Return the columns of the terminal; 0 if standard output is not one, or the
   number is not known. */
size_t terminal_width(void);

/* Return the columns that are left in a line of OUT after USED ones, at least a
   few; SIZE_MAX if OUT is not a terminal. */
size_t terminal_room(const FILE* out, size_t used);

/* Switch to STYLE, if output has colour. */
void   terminal_style(Style style);

#endif /* DCFG_CMD_TERMINAL_H */
