/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Code without a file. */

#ifndef DCFG_CMD_MERGE_GROUPS_H
#define DCFG_CMD_MERGE_GROUPS_H

#include "cmd/base/names.h"
#include "cmd/merge/merge.h"

/* The groups of a process while it is added. */
typedef struct NewGroups NewGroups;

/* Find, in M, the groups that the process G has, and make those that M does not
   have.  IMAGES and NUMBER are G's, see read_images(); its runs are those of M
   from FIRST_RUN on.  PLACE, by image, becomes the place of an image that M has
   in a group. */
NewGroups* find_groups(Merged* m, const Program* g, MergedImage* images,
                       const uint32_t* number, uint32_t first_run,
                       uint32_t* place);

/* G's images are in M, at PLACE.  Frees GROUPS. */
void       take_groups(Merged* m, NewGroups* groups, const uint32_t* place);

/* M's runs are in order, and none comes any more: find out which of their
   images without a file are the same. */
void       unfold_groups(Merged* m);

#endif /* DCFG_CMD_MERGE_GROUPS_H */
