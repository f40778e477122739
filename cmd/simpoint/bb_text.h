/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes PinPlay's .bb files. */

#ifndef DCFG_CMD_BB_TEXT_H
#define DCFG_CMD_BB_TEXT_H

#include "cmd/base/names.h"

/* Write the lines before the first slice.  THREAD is the thread of the vectors,
   or DCFG_ALL_THREADS. */
void bb_put_header(FILE* out, const Program* g, uint32_t thread);

/* Write a line that says that counts of executions begin with NODE, because the
   recording does not begin with the program. */
void bb_put_since(FILE* out, const Program* g, uint32_t node);

/* Write the marker of a slice that begins at execution COUNT, from 1, of
   NODE. */
void bb_put_marker(FILE* out, const Program* g, uint32_t node,
                   uint64_t count);

/* Die if an image's path has a blank, a comma or the like, so that it cannot be
   a field of a .bb file or of the files that are made from it. */
void need_one_field(const char* path);

/* Write one element of a vector: a block's id and its instructions. */
void bb_put_share(FILE* out, uint64_t id, uint64_t instrs);

/* Write the lines behind the last slice: the number of instructions in all
   slices, the requested SIZE of a slice in instructions, and a row for each
   block that was executed.  EXECUTIONS has an element for each node. */
void bb_put_table(FILE* out, const Program* g, uint64_t instrs, uint64_t size,
                  const uint64_t* executions);

/* Return whether a block is one REP instruction: each of its iterations counts
   as an execution, so it is no marker. */
bool bb_repeats(const DcfgProcess* p, uint32_t node);

#endif /* DCFG_CMD_BB_TEXT_H */
