/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions of the source in a graph. */

#ifndef DCFG_CMD_FUNCTIONS_H
#define DCFG_CMD_FUNCTIONS_H

#include "cmd/base/keymap.h"
#include "cmd/base/names.h"

/* A function is what a symbol names, with its cold parts; where there is no
   symbol, a routine of the graph.  A stub of a linkage table is in none: it is
   part of whatever calls it. */
#define NO_FUNCTION UINT32_MAX

typedef
   struct {
      Program   g;
      uint32_t* of;             // by block: its function
      bool*     begins;         // by block: it is its function's first
      uint32_t* nodes;          // by function: its first block, or another one
      uint32_t  n, room;
      KeyMap*   keys;
   }
   Functions;

Functions*  functions_new(const Program* g);
void        functions_free(Functions* f);

/* The symbol of a function; DCFG_NONE: it has none. */
uint32_t    function_symbol(const Functions* f, uint32_t function);

/* As people say it.  Lasts until text_forget() at least. */
const char* function_name(const Functions* f, uint32_t function);

#endif /* DCFG_CMD_FUNCTIONS_H */
