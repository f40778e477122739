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

/* Return whether edge E is a call; if so, set *FROM and *TO to functions of F.
   A jump to the begin of another function is a call.  A call of a linkage
   table's stub is a call of the stub's most frequent target. */
bool function_call(const Functions* f, const DcfgEdge* e, uint32_t* from,
                   uint32_t* to);

#endif /* DCFG_CMD_FUNCTIONS_H */
