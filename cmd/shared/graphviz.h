/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Runs of Graphviz. */

#ifndef DCFG_CMD_GRAPHVIZ_H
#define DCFG_CMD_GRAPHVIZ_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Graphviz: a run of the program dot.  Several may run at a time. */
typedef
   struct {
      FILE* in;                 // its input: written before it starts
      FILE* out;                // its output, when it has ended
      pid_t pid;
      bool  missing;            // there is no such program
   }
   Graphviz;

/* To be freed with graphviz_free(). */
Graphviz graphviz_new(void);
void     graphviz_free(Graphviz* g);

/* Start dot with option FORMAT, such as "-Tsvg".  It writes to PATH, or to
   .out if that is NULL; if QUIET, it says nothing to the user.  It ends after SECONDS of
   processor time, unless these are 0. */
void graphviz_start(Graphviz* g, const char* format, const char* path,
                    bool quiet, unsigned seconds);

/* Wait for its end.  Has it done all that it was asked for?  .out is at its
   begin. */
bool graphviz_end(Graphviz* g);

#endif /* DCFG_CMD_GRAPHVIZ_H */
