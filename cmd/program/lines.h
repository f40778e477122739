/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Lines of the source: their text, and the code that they have. */

#ifndef DCFG_CMD_LINES_H
#define DCFG_CMD_LINES_H

#include "cmd/program/debug.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct SourceFile SourceFile;

/* Open a source file.  Return NULL if it cannot be read. */
SourceFile* source_file_open(const char* path);

/* Close F, which may be NULL. */
void source_file_close(SourceFile* f);

uint32_t source_file_lines(const SourceFile* f);

/* Return line N, counted from 1, without its end; it may have any bytes.  NULL
   if it does not exist. */
const char* source_file_line(const SourceFile* f, uint32_t n, size_t* length);

/* Return line N likewise, without the blanks and tabs at its begin; NULL also
   if F is NULL. */
const char* source_file_code(const SourceFile* f, uint32_t n, size_t* length);

/* Return line N of the file at PATH likewise, as text_clean_line() makes it; "" if
   N is 0, or the line cannot be read. */
const char* source_text(const char* path, uint32_t n);

/* SourceReader: the source file that was asked for last; at first all zero. */
typedef
   struct {
      char*       path;         // NULL: none was asked for
      SourceFile* file;         // NULL: it cannot be read
      bool        relative;     // paths may be relative to this directory
   }
   SourceReader;

void source_reader_close(SourceReader* r);

/* Return line N of the file at PATH, without the blanks at its begin; "" if it
   cannot be read.  Valid until text_forget(). */
char* source_reader_code(SourceReader* r, const char* path, uint32_t n);

/* CodeLine: a line of an instruction.  It is the instruction's own, or calls an
   inlined function that has the instruction.  If .merged, the compiler merged
   the line with others, and the line would begin at the instruction. */
typedef
   struct {
      const char* source;
      uint32_t    line;
      const char* function;     // the line's, not demangled; or NULL
      bool        merged;
   }
   CodeLine;

/* CodeLines: the lines of a trace's instructions. */
typedef struct CodeLines CodeLines;

/* Return the lines of P's trace; P lasts until code_lines_free(). */
CodeLines* code_lines_new(TraceProgram* p);
void       code_lines_free(CodeLines* c);

/* Return the number of lines of INSTR.  *LINES gets them, the innermost first,
   merged ones last, without those in headers of the distribution.  *LINES is
   valid until the next call, its texts until code_lines_free().  Without debug
   information there is only the instruction's own line. */
unsigned code_lines(CodeLines* c, uint32_t instr, const CodeLine** lines);

/* Are A and B one file?  Debug information may have the path from where the
   compiler was started, and the trace the whole path. */
bool is_same_source(const char* a, const char* b);

/* Return the innermost line; .line is 0 if there is none.  Return that, or the line
   and function that the trace has. */
CodeLine innermost_line(CodeLines* c, uint32_t instr);
CodeLine told_line(CodeLines* c, uint32_t instr);

#endif /* DCFG_CMD_LINES_H */
