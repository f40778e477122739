/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names and places of scopes. */

#ifndef DCFG_CMD_SCOPE_NAMES_H
#define DCFG_CMD_SCOPE_NAMES_H

/* Private to the room program/. */

#include "cmd/program/scopes.h"

/* InlinedFunction: a function of the source.  Texts of one that was read from a
   file are valid while the file is open, or until text_forget(). */
typedef
   struct {
      const char* name;         // linkage name, or the source's; or "?"
      const char* file;         // path of the declaration, or "?"
      uint32_t    line;         // 0: not known
      bool        is_artificial;        // the source does not have it, as an
                                        // implicit constructor
   }
   InlinedFunction;

/* Return the function with origin ORIGIN. */
InlinedFunction scope_function(Scopes* s, uint32_t origin);

/* Get the line of the instruction at ADDR, an address of the file, in SCOPE; 0:
   it has none.  Return false if the line is not known. */
bool            scope_line(Scopes* s, uint32_t scope, uint64_t addr,
                           const char** file, uint32_t* line);

/* Return the file of the call of SCOPE, an instance; or "?". */
const char*     scope_call_file(Scopes* s, uint32_t scope);

#endif /* DCFG_CMD_SCOPE_NAMES_H */
