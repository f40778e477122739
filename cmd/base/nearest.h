/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   "Did you mean ...?" */

#ifndef DCFG_CMD_NEAREST_H
#define DCFG_CMD_NEAREST_H

#include <stddef.h>

#define MOST_NEAREST 3

/* Nearest: the candidates that are most similar to an unknown word. */
typedef
   struct {
      const char* word;
      size_t      n;
      struct { char name[256]; size_t distance; } found[MOST_NEAREST];
      char        text[1024];
   }
   Nearest;

Nearest nearest_to(const char* word);

/* Keep a copy of CANDIDATE if it is near enough, and not too long. */
void nearest_offer(Nearest* n, const char* candidate);

/* Keep SHOWN if CANDIDATE, another name for it, is near enough. */
void nearest_offer_as(Nearest* n, const char* candidate, const char* shown);

/* Return "; did you mean `a' or `b'?", or "" if nothing is near enough.  Valid
   as long as N. */
const char* nearest_text(Nearest* n);

#endif /* DCFG_CMD_NEAREST_H */
