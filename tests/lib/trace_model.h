/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Traces made by hand, and decoded slowly. */

#ifndef TRACE_MODEL_H
#define TRACE_MODEL_H

#include "lib_common.h"

/* Text that grows. */
typedef
   struct {
      char*  s;
      size_t n, room;
   }
   Text;

void text_add(Text* t, const char* format, ...)
     __attribute__((format(printf, 2, 3)));
void text_char(Text* t, char c);

/* A trace of process 4711 with one thread, 0, that has one chunk.  DICTIONARY
   and ROWS are JSON inside the braces and behind the header.  The caller frees
   it. */
char* one_chunk(const char* dictionary, const char* rows, uint64_t edges,
                uint32_t first, const char* sequence);

/* Return the edges of TRACE: at most MAX, as text with blanks between.  An
   error ends the text with its status in brackets.  The next call uses the same
   buffer. */
const char* edges_of(const char* trace, size_t max);

/* The same from dcfg_trace_next(). */
const char* edges_by_trace(const char* trace, size_t max);

/* Both of one_chunk()'s trace must be WANT. */
void are_edges(const char* dictionary, const char* rows, uint64_t edges,
               uint32_t first, const char* sequence, const char* want);

/* With these rows, the edges are the bits: 1 for 0 and 2 for 1. */
#define BITS "[1,\"0\",[1]],[1,\"1\",[2]],[2,\"0\",[1]],[2,\"1\",[2]]"

/* The specification's dictionary. */
#define SPEC_DICTIONARY "\"a\":\"bks2hD7kB+KDk87(6*AB)Aw3ABD9\"," \
   "\"b\":\"KkDk123(42*(25*a))45690D<a>7Fjdkpm\""

/* The specification by the letter: one row of a table, and a dictionary. */
typedef
   struct {
      uint32_t    edge;
      char        code[33];
      uint32_t    nexts[24];
      uint32_t    n;
   }
   ModelRow;

typedef
   struct {
      ModelRow rows[200];
      int      n_rows;
      char*    keys[20];
      char*    values[20];
      int      n_entries;
   }
   Model;

/* Substitutes until only characters are left; gives up, returning false, when
   there are more than LIMIT. */
bool model_expand(const Model* m, const char* sequence, Text* to,
                  size_t limit);

/* Decodes at most MAX edges from characters.  Returns how many; fewer if the
   characters end. */
size_t model_decode(const Model* m, const char* chars, uint32_t first,
                    uint32_t* to, size_t max);

#endif /* TRACE_MODEL_H */
