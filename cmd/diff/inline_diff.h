/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions of two builds, inlined or not. */

#ifndef DCFG_CMD_INLINE_DIFF_H
#define DCFG_CMD_INLINE_DIFF_H

#include "cmd/builds/match.h"
#include "cmd/inline/inline_view.h"

/* Two runs, each a side, 0 or 1.  Functions are numbered as in Inlined, on each
   side by themselves. */
typedef struct InlineDiff InlineDiff;

/* G and SELECTED: of both sides; SELECTED gets blocks with selected pieces.
   Images' files are looked for below ROOT, if that is not NULL. */
InlineDiff* inline_diff_new(const Builds* b, const Program* const g[2],
                            const Select* what, Selection* const selected[2],
                            const char* root);
void        inline_diff_free(InlineDiff* d);

/* All functions that executed something which is selected, in no order; those
   that are the same in both runs are one.  One of which a run has instances but
   no code is there, with a count of 0. */
Pair*       inline_diff_pairs(InlineDiff* d, size_t* n);

/* Return how many of a pair's instructions on SIDE were inlined. */
uint64_t    inline_diff_inlined(const InlineDiff* d, int side,
                                const Pair* pair);

/* A function's name, where it is declared, or "", and its image. */
const char* inline_diff_name(const InlineDiff* d, int side, uint32_t function);
const char* inline_diff_source(const InlineDiff* d, int side,
                               uint32_t function);
uint32_t    inline_diff_image(const InlineDiff* d, int side,
                              uint32_t function);

#endif /* DCFG_CMD_INLINE_DIFF_H */
