/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Threads of a slice. */

#ifndef DCFG_CMD_SLICE_THREADS_H
#define DCFG_CMD_SLICE_THREADS_H

#include "cmd/slice/slice_views.h"

#define THREADS_WIDTH 10        // columns of the column of threads

/* Return whether the slice has instances of several threads. */
bool slice_has_threads(const SliceView* v);

/* Write the head of the column of threads; write the column of a row with
   THREADS, a bit for each as in DcfgSliceTotal. */
void slice_put_threads_head(FILE* out);
void slice_put_threads(FILE* out, uint64_t threads);

/* Return THREAD with the function of the program that it began with, as "1
   (worker)".  The text lasts until text_forget(). */
const char* slice_thread(const SliceView* v, uint32_t thread);

/* Write a line for each of the nearest values that one thread wrote and
   another one read, and how many more there are. */
void slice_put_crossings(FILE* out, const SliceView* v);

#endif
