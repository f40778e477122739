/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Properties of the terminal. */

/* Owns: the terminal's width, and whether output has colour.  Handed: the
   value of --color, the environment. */

#include "cmd/base/terminal.h"

#include "cmd/base/clean.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define FEW 9                   // columns of a readable name

static bool   is_terminal, has_color;
static size_t width;

/* Return the columns of the terminal FD, or 0. */
static size_t terminal_columns(int fd)
{
   const char*    columns = getenv("COLUMNS");
   struct winsize size;
   long           n = columns != NULL ? strtol(columns, NULL, 10) : 0;

   if (n > 0)
      return (size_t)n;
   return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static bool wants_color(ColorChoice color)
{
   const char* no_color = getenv("NO_COLOR");
   const char* term = getenv("TERM");

   if (color != COLOR_AUTO)
      return color == COLOR_ALWAYS;
   return is_terminal && (no_color == NULL || no_color[0] == 0)
          && term != NULL && strcmp(term, "dumb") != 0;
}

void terminal_find(ColorChoice color)
{
   is_terminal = isatty(STDOUT_FILENO) == 1;
   width = is_terminal ? terminal_columns(STDOUT_FILENO) : 0;
   has_color = wants_color(color);
}

bool terminal_is_there(void)
{
   return is_terminal;
}

size_t terminal_width(void)
{
   return width;
}

size_t terminal_room(const FILE* out, size_t used)
{
   size_t all = out == stdout ? width
                : out == stderr ? terminal_columns(STDERR_FILENO) : 0;

   if (all == 0)
      return SIZE_MAX;
   return all > used + FEW ? all - used : FEW;
}

void terminal_style(Style style)
{
   static const char* const sequences[] = { "\033[m", "\033[1m",
                                            "\033[1;33m", "\033[33m",
                                            "\033[31m" };

   if (has_color)
      print_unclean(sequences[style]);
}
