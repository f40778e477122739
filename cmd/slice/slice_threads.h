/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Threads of a slice. */

#ifndef DCFG_CMD_SLICE_THREADS_H
#define DCFG_CMD_SLICE_THREADS_H

#include "cmd/slice/slice_views.h"

#define THREADS_WIDTH 10        // width of their column

/* Has the slice instances of several threads? */
bool slice_has_threads(const SliceView* v);

/* Prints the head of the column of threads, and of a row those of THREADS, a
   bit for each as in DcfgSliceTotal. */
void slice_put_threads_head(FILE* out);
void slice_put_threads(FILE* out, uint64_t threads);

/* "1 (worker)": THREAD, and the function of the program that it began with.
   Lasts until text_forget(). */
const char* slice_thread(const SliceView* v, uint32_t thread);

/* Prints a line for each of the nearest values that one thread wrote and
   another one read, and how many more there are. */
void slice_put_crossings(FILE* out, const SliceView* v);

#endif /* DCFG_CMD_SLICE_THREADS_H */
