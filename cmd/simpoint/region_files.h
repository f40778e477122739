/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Regions as simulators read them. */

#ifndef DCFG_CMD_REGION_FILES_H
#define DCFG_CMD_REGION_FILES_H

#include "cmd/simpoint/choice.h"

/* Write labelled regions as LoopPoint's CSV to PATH.  Each one has WARMUP slices
   before it, or as many as there are, for warming caches up.  All these
   functions exit after an error. */
void write_csv(const Choice* c, const char* path, uint64_t warmup);

/* Likewise as gem5's JSON.  BASE: the address where gem5 loads the program, a
   number as text; NULL: where its file says. */
void write_gem5(const Choice* c, const char* path, uint64_t warmup,
                const char* base);

#endif /* DCFG_CMD_REGION_FILES_H */
