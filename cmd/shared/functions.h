
/*--------------------------------------------------------------------*/
/*--- Functions of the source in a graph.            functions.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

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

/* As people say it.  Lasts until text_forget() at least. */
const char* function_name(const Functions* f, uint32_t function);

#endif /* DCFG_CMD_FUNCTIONS_H */

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
