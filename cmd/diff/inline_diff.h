/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions of two builds, inlined or not. */

#ifndef DCFG_CMD_INLINE_DIFF_H
#define DCFG_CMD_INLINE_DIFF_H

#include "cmd/builds/builds.h"
#include "cmd/inline/inline_view.h"

/* InlineDiff: the functions of two runs.  A side is 0 or 1.  Functions are
   numbered as in Inlined, on each side apart. */
typedef struct InlineDiff InlineDiff;

/* Compare the functions of two runs.  G and SELECTED: of both sides; SELECTED
   gets blocks with selected pieces.  Images' files are looked for below ROOT,
   if that is not NULL. */
InlineDiff* inline_diff_new(const Builds* b, const Program* const g[2],
                            const Select* what, Selection* const selected[2],
                            const char* root);
void        inline_diff_free(InlineDiff* d);

/* Return all functions that executed something selected, in no order; *N is
   their number.  Functions that are the same are one pair.  A function that has
   instances, but no code, in a run has the count 0 there. */
Pair*       inline_diff_pairs(InlineDiff* d, size_t* n);

/* Return how many of a pair's instructions on SIDE were inlined. */
uint64_t    inline_diff_inlined(const InlineDiff* d, int side,
                                const Pair* pair);

/* Return a function's name, the place of its declaration, or "", and its
   image. */
const char* inline_diff_name(const InlineDiff* d, int side, uint32_t function);
const char* inline_diff_source(const InlineDiff* d, int side,
                               uint32_t function);
uint32_t    inline_diff_image(const InlineDiff* d, int side,
                              uint32_t function);

#endif /* DCFG_CMD_INLINE_DIFF_H */
