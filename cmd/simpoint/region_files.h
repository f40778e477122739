/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes regions in the files that simulators read. */

#ifndef DCFG_CMD_REGION_FILES_H
#define DCFG_CMD_REGION_FILES_H

#include "cmd/simpoint/choice.h"

/* Write the regions of a choice with labels to PATH, as LoopPoint's CSV.  In
   the WARMUP slices before a region, or as many as there are, the simulator
   warms caches up.  Die after an error, also in the function below. */
void write_csv(const Choice* c, const char* path, uint64_t warmup);

/* Write them likewise as gem5's JSON.  BASE is the address at which gem5 loads
   the program, a number as text; NULL: the address in the program's file. */
void write_gem5(const Choice* c, const char* path, uint64_t warmup,
                const char* base);

#endif /* DCFG_CMD_REGION_FILES_H */
