/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The images of a run and of a sum. */

#ifndef DCFG_CMD_MERGE_IMAGES_H
#define DCFG_CMD_MERGE_IMAGES_H

#include "cmd/base/interned.h"
#include "cmd/merge/merge.h"
#include "cmd/base/names.h"

/* The images of a run without a fault, as a sum has them, without blocks that were never executed;
   these are counted in *IDLE.  NUMBER, by node: the block's number in its
   image, or UINT32_MAX. */
MergedImage* read_images(const Program* g, Interned* names, uint32_t* number,
                         uint64_t* idle);
void         free_images(MergedImage* images, uint32_t n);

/* Return, for each of N images of a run, its place among those of M, to be freed.
   They have the same name and turn and, if M keeps builds apart, build.
   UINT32_MAX: M has none, or it is code without a file. */
uint32_t*    find_images(const Merged* m, const MergedImage* images,
                         uint32_t n);

/* Free the contents of M. */
void         merged_clear(Merged* m);

/* M gets an image with that name, home and group; its place. */
uint32_t     image_add(Merged* m, const MergedImage* like);

/* Im is of group GROUP; it is at home in RUN. */
void         set_group(MergedImage* im, uint32_t group);
void         set_home(MergedImage* im, uint32_t run);

/* TO gets the home of FROM. */
void         take_home(MergedImage* to, const MergedImage* from);

/* Images of groups are M's no more. */
void         drop_groups(Merged* m);

/* Give each of N images its turn: how many of those before it have its name
   and, if builds are kept APART, its build. */
void         number_turns(MergedImage* images, uint32_t n, bool apart);

/* Do both have build ids, or hashes of their code, and these differ? */
bool         other_build(const MergedImage* a, const MergedImage* b);

/* False, with *WHERE, if both have symbols and these differ. */
bool         same_symbols(const MergedImage* a, const MergedImage* b,
                          uint64_t* where);

/* TO gets the blocks of D, ROWS and SIZES, which become its own, and what FROM
   has that it lacks. */
void         take_image(MergedImage* to, const MergedImage* from,
                        const Division* d, MergedRow* rows, uint32_t n_rows,
                        char* sizes);
MergedRow*   copy_rows(const MergedImage* from);

/* Divisions that divide nothing: of a list B that stands as it is, and of the
   N blocks of a list A, which are not repeated. */
void         whole_division(Division* d, const MergedBlock* b, uint32_t n);
void         keep_division(Division* d, uint32_t n);

#endif /* DCFG_CMD_MERGE_IMAGES_H */
