/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names and places of scopes. */

#ifndef DCFG_CMD_SCOPE_NAMES_H
#define DCFG_CMD_SCOPE_NAMES_H

/* Private to the room inline/. */

#include "cmd/inline/scopes.h"

/* InlinedFunction: a function of the source.  The strings of one that was read
   from a file last as long as that is open, or until text_forget(). */
typedef
   struct {
      const char* name;         // as the linker sees it, if it does; or "?"
      const char* file;         // path of the declaration, or "?"
      uint32_t    line;         // 0: not known
   }
   InlinedFunction;

/* The function that origin ORIGIN is. */
InlinedFunction scope_function(Scopes* s, uint32_t origin);

/* The line of the instruction at ADDR, of the file, in SCOPE; 0: it is of no
   line.  False if that is not known. */
bool            scope_line(Scopes* s, uint32_t scope, uint64_t addr,
                           const char** file, uint32_t* line);

/* The file of the call that SCOPE, an instance, came from; or "?". */
const char*     scope_call_file(Scopes* s, uint32_t scope);

#endif /* DCFG_CMD_SCOPE_NAMES_H */
