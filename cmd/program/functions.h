/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions of the source in a graph. */

#ifndef DCFG_CMD_FUNCTIONS_H
#define DCFG_CMD_FUNCTIONS_H

#include "cmd/base/keymap.h"
#include "cmd/base/names.h"

/* A function is the code of a symbol, with its cold parts; code without a
   symbol is a function for each routine.  A stub of a linkage table is in no
   function: it is part of its callers. */
#define NO_FUNCTION UINT32_MAX

typedef
   struct {
      Program   g;
      uint32_t* of;             // by block: its function
      bool*     begins;         // by block: it is its function's first
      uint32_t* nodes;          // by function: its first block, or any if that
                                // did not run
      uint32_t  n, room;
      KeyMap*   keys;
   }
   Functions;

Functions*  functions_new(const Program* g);
void        functions_free(Functions* f);

/* Return the symbol of a function, or DCFG_NONE. */
uint32_t    function_symbol(const Functions* f, uint32_t function);

/* Return that symbol's name, or NULL. */
const char* function_symbol_name(const Functions* f, uint32_t function);

/* Return the name to print.  It is valid at least until text_forget(). */
const char* function_name(const Functions* f, uint32_t function);

#endif /* DCFG_CMD_FUNCTIONS_H */
