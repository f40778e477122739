/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   SimPoint's choice of slices. */

#ifndef DCFG_CMD_CHOICE_H
#define DCFG_CMD_CHOICE_H

#include "cmd/simpoint/bb_file.h"

/* Chosen: a slice that SimPoint chose to stand for a cluster of slices. */
typedef
   struct {
      uint64_t cluster;
      size_t   slice;
      double   weight;          // the cluster's share of the run; 1 in all
      bool     weighted;        // .weight has been read
      uint64_t instrs;          // the whole cluster's; 0 without labels
   }
   Chosen;

/* Choice: all chosen slices, in the order of the run, and the vectors. */
typedef
   struct {
      BbFile*  bb;
      Chosen*  chosen;
      size_t   n, room;
      bool     labelled;        // the cluster of each slice is known
   }
   Choice;

/* Read a .bb file, VECTORS, and SimPoint's files about it, for choice_free().
   LABELS may be NULL.  Die if a file is malformed, or they do not belong
   together. */
Choice choice_read(const char* vectors, const char* simpoints,
                   const char* weights, const char* labels);
void   choice_free(Choice* c);

/* Return the multiplier of X, of a choice with labels: how many instructions of
   the run each instruction of the slice stands for. */
double multiplier(const Choice* c, const Chosen* x);

#endif /* DCFG_CMD_CHOICE_H */
