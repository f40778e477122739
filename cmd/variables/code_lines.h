/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines of the program that code belongs to. */

#ifndef DCFG_CMD_CODE_LINES_H
#define DCFG_CMD_CODE_LINES_H

#include "lib/dcfg_wet.h"

#include <stdbool.h>

/* CodeLine: a line that an instruction belongs to.  That is its own, or one that
   calls an inlined function which has it.  Or, .merged, the compiler has merged
   the line with others, and it would begin there. */
typedef
   struct {
      const char* source;
      uint32_t    line;
      const char* function;     // the line's, not demangled; or NULL
      bool        merged;
   }
   CodeLine;

/* CodeLines: those of a trace's instructions. */
typedef struct CodeLines CodeLines;

/* Files of images are looked for below ROOT first, unless that is NULL.  W
   stays open until code_lines_free(). */
CodeLines* code_lines_new(DcfgWet* w, const char* root);
void       code_lines_free(CodeLines* c);

/* The lines of INSTR, the innermost first and merged ones last, without those
   that the headers of a distribution have; returns how many.  *LINES lasts until the next call, what
   it points at as long as C.  Without debug information there is the
   instruction's own line. */
unsigned code_lines(CodeLines* c, uint32_t instr, const CodeLine** lines);

/* The innermost of them; its .line is 0 if there is none. */
CodeLine innermost_line(CodeLines* c, uint32_t instr);

#endif /* DCFG_CMD_CODE_LINES_H */
