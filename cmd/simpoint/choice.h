/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   SimPoint's choice of slices. */

#ifndef DCFG_CMD_CHOICE_H
#define DCFG_CMD_CHOICE_H

#include "cmd/simpoint/bb_file.h"

/* Chosen: a slice that stands for its cluster. */
typedef
   struct {
      uint64_t cluster;
      size_t   slice;
      double   weight;
      bool     weighted;
      uint64_t instrs;          // the whole cluster's; 0 without labels
   }
   Chosen;

/* Choice: all of them, in the order of slices. */
typedef
   struct {
      BbFile*  bb;
      Chosen*  chosen;
      size_t   n, room;
      bool     labelled;        // are clusters of all slices known?
   }
   Choice;

/* Read vectors, and SimPoint's files about them; LABELS may be NULL.  Exit if
   one is not sound. */
Choice choice_read(const char* vectors, const char* simpoints,
                   const char* weights, const char* labels);
void   choice_free(Choice* c);

/* Return how many instructions of the run each one of a labelled slice stands
   for. */
double multiplier(const Choice* c, const Chosen* x);

#endif /* DCFG_CMD_CHOICE_H */
