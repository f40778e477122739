/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers and names as people read them. */

#ifndef DCFG_CMD_FORMAT_H
#define DCFG_CMD_FORMAT_H

#include <stddef.h>
#include <stdint.h>

/* All that return text return a string that lasts until text_forget(),
   which a program that makes much of it calls now and then. */

char* text_format(const char* format, ...)
      __attribute__((format(printf, 1, 2)));
void  text_forget(void);

/* "1,234,567" */
const char* text_count(uint64_t n);

/* "12.3%"; "" if WHOLE is 0. */
const char* text_share(uint64_t part, uint64_t whole);

/* A short form of counts for pictures: "12.3k", "4.5M". */
const char* text_rounded(uint64_t n);

/* Columns that a string takes on a terminal. */
size_t text_width(const char* s);

/* At most WIDTH columns, with ".." for a part in the middle. */
const char* text_shorten(const char* s, size_t width);

/* At most WIDTH columns, with an ellipsis for a part in the middle: for a
   terminal. */
const char* text_fit(const char* s, size_t width);

/* The first WIDTH columns, the last of which says that there are more. */
const char* text_cut(const char* s, size_t width);

/* S with a '?' for each hidden character: see clean.h. */
const char* text_clean(const char* s);

/* The same of a line of a source file, of LENGTH bytes, with its tabs. */
const char* text_clean_line(const char* line, size_t length);

/* A symbol as in the source, if it is one of C++ or Rust. */
const char* text_demangle(const char* symbol);

/* Only the name of a C++ function: "std::sort<int*>", without parameters and the
   type of its value. */
const char* text_brief(const char* demangled);

/* The rest of S, which begins with a bracket, one of <({, behind that bracket's
   partner; the end of S if there is no partner. */
const char* text_behind_bracket(const char* s);

/* The last part of a path. */
const char* text_base(const char* path);

#endif /* DCFG_CMD_FORMAT_H */
