/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Traces made by hand, and decoded slowly. */

#ifndef TRACE_MODEL_H
#define TRACE_MODEL_H

#include "lib_common.h"

/* Text: a string that grows. */
typedef
   struct {
      char*  s;
      size_t n, room;
   }
   Text;

void text_add(Text* t, const char* format, ...)
     __attribute__((format(printf, 2, 3)));
void text_char(Text* t, char c);

/* Return a trace of process 4711 with one thread, 0, and one chunk; to be
   freed.  DICTIONARY and ROWS are JSON, to go inside the braces and behind the
   header. */
char* one_chunk(const char* dictionary, const char* rows, uint64_t edges,
                uint32_t first, const char* sequence);

/* Return the edges of TRACE: at most MAX, as text with blanks between.  An
   error ends the text, with its status in brackets.  The next call uses the
   same buffer. */
const char* edges_of(const char* trace, size_t max);

/* Return the same by dcfg_trace_next(). */
const char* edges_by_trace(const char* trace, size_t max);

/* Check that both give WANT for one_chunk()'s trace. */
void are_edges(const char* dictionary, const char* rows, uint64_t edges,
               uint32_t first, const char* sequence, const char* want);

/* With these rows, edges are bits: 1 for 0 and 2 for 1. */
#define BITS "[1,\"0\",[1]],[1,\"1\",[2]],[2,\"0\",[1]],[2,\"1\",[2]]"

/* The specification's dictionary. */
#define SPEC_DICTIONARY "\"a\":\"bks2hD7kB+KDk87(6*AB)Aw3ABD9\"," \
   "\"b\":\"KkDk123(42*(25*a))45690D<a>7Fjdkpm\""

/* Model: the specification, taken literally: a table and a dictionary. */
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

/* Substitute until only characters are left.  Return false if there would be
   more than LIMIT. */
bool model_expand(const Model* m, const char* sequence, Text* to,
                  size_t limit);

/* Decode at most MAX edges from characters.  Return how many; fewer if the
   characters end. */
size_t model_decode(const Model* m, const char* chars, uint32_t first,
                    uint32_t* to, size_t max);

#endif /* TRACE_MODEL_H */
