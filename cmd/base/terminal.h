/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What the terminal is like that standard output goes to. */

#ifndef DCFG_CMD_TERMINAL_H
#define DCFG_CMD_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The values of --color. */
typedef enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } ColorChoice;

typedef enum { STYLE_PLAIN, STYLE_HEADING, STYLE_HOT } Style;

/* Find out what standard output is.  To be called before a pager takes the place of the
   terminal. */
void   terminal_find(ColorChoice color);

/* Is standard output a terminal? */
bool   terminal_is_there(void);

/* The columns of the terminal; 0 if standard output is none, or if nobody knows
   how many it has. */
size_t terminal_width(void);

/* The columns that are left in a line of OUT after USED ones, a few at least;
   SIZE_MAX if OUT is no terminal. */
size_t terminal_room(const FILE* out, size_t used);

/* Print what follows in STYLE, if colour is wanted. */
void   terminal_style(Style style);

#endif /* DCFG_CMD_TERMINAL_H */
