/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Drawings by Graphviz. */

#ifndef DCFG_CMD_GRAPHVIZ_H
#define DCFG_CMD_GRAPHVIZ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Write S as part of a quoted string. */
void dot_text(FILE* out, const char* s);

/* Return the colour of an area for PART of WHOLE, the hottest one's number;
   return the colour of text in that area. */
const char* heat_colour(uint64_t part, uint64_t whole);
const char* ink_colour(uint64_t part, uint64_t whole);

/* Return the width of a line for COUNT, if the most frequent one has MOST. */
double      line_width(uint64_t count, uint64_t most);

/* Graphviz: a run of the program dot.  Several may run at a time. */
typedef
   struct {
      FILE* in;                 // its input, to be written before the start
      FILE* out;                // its output, after the end
      pid_t dot;
      pid_t copier;             // copies what dot writes to .out
      bool  missing;            // the program is not installed
   }
   Graphviz;

/* Prepare a run, to be freed by graphviz_free(). */
Graphviz graphviz_new(void);
void     graphviz_free(Graphviz* g);

/* Start dot with option FORMAT, such as "-Tsvg".  QUIET: its messages are
   dropped.  The kernel ends it after SECONDS of processor time, unless these
   are 0.  Exit after an error. */
void graphviz_start(Graphviz* g, const char* format, bool quiet,
                    unsigned seconds);

/* Wait until dot ends, and go to the begin of .out.  Return whether dot
   succeeded.  Exit if .out could not be written. */
bool graphviz_end(Graphviz* g);

#endif /* DCFG_CMD_GRAPHVIZ_H */
