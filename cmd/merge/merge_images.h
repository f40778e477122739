/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The images of a run and of a sum. */

#ifndef DCFG_CMD_MERGE_IMAGES_H
#define DCFG_CMD_MERGE_IMAGES_H

#include "cmd/base/interned.h"
#include "cmd/merge/merge.h"
#include "cmd/base/names.h"

/* Return the images of G, a run without a fault, for a sum.  Blocks that were
   never executed are left out and counted in *IDLE.  NUMBER, by node, gets the
   block's number in its image, or UINT32_MAX. */
MergedImage* read_images(const Program* g, Interned* names, uint32_t* number,
                         uint64_t* idle);
void         free_images(MergedImage* images, uint32_t n);

/* Return, for each of N images of a run, the index of the same image in M, to
   be freed: with the same name and turn and, if M keeps builds apart, build.
   UINT32_MAX: M has none, or it is code without a file. */
uint32_t*    find_images(const Merged* m, const MergedImage* images,
                         uint32_t n);

/* Free the contents of M. */
void         merged_clear(Merged* m);

/* Add an image to M with the name, home and group of LIKE.  Return its
   index. */
uint32_t     image_add(Merged* m, const MergedImage* like);

/* Set the group of IM; set its home to RUN. */
void         set_group(MergedImage* im, uint32_t group);
void         set_home(MergedImage* im, uint32_t run);

/* Give TO the home of FROM. */
void         take_home(MergedImage* to, const MergedImage* from);

/* Remove the images of groups from M. */
void         drop_groups(Merged* m);

/* Give each of N images its turn: the number of images before it with the same
   name and, if builds are kept APART, the same build. */
void         number_turns(MergedImage* images, uint32_t n, bool apart);

/* Return whether both have build ids, or hashes of their code, and these
   differ. */
bool         other_build(const MergedImage* a, const MergedImage* b);

/* Return false, and the offset in *WHERE, if both have symbols and these
   differ. */
bool         same_symbols(const MergedImage* a, const MergedImage* b,
                          uint64_t* where);

/* Give TO the blocks of D, ROWS and SIZES, which TO owns then, and whatever
   FROM has and TO lacks. */
void         take_image(MergedImage* to, const MergedImage* from,
                        const Division* d, MergedRow* rows, uint32_t n_rows,
                        char* sizes);
MergedRow*   copy_rows(const MergedImage* from);

/* Make divisions that divide nothing: of the N blocks of a list B; of a list A
   alone. */
void         whole_division(Division* d, const MergedBlock* b, uint32_t n);
void         keep_division(Division* d, uint32_t n);

#endif /* DCFG_CMD_MERGE_IMAGES_H */
