/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Code without a file. */

#ifndef DCFG_CMD_MERGE_GROUPS_H
#define DCFG_CMD_MERGE_GROUPS_H

#include "cmd/base/names.h"
#include "cmd/merge/merge.h"

/* NewGroups: the groups of a process that is being added. */
typedef struct NewGroups NewGroups;

/* Find in M the groups of process G; make those that M does not have.  IMAGES
   and NUMBER are G's, from read_images(); its runs are those of M from
   FIRST_RUN on.  PLACE, by image, gets the index in M of images that M has in a
   group. */
NewGroups* find_groups(Merged* m, const Program* g, MergedImage* images,
                       const uint32_t* number, uint32_t first_run,
                       uint32_t* place);

/* Note that G's images are in M, at indices PLACE, and free GROUPS. */
void       take_groups(Merged* m, NewGroups* groups, const uint32_t* place);

/* Decide which images without a file are the same, and end all groups.  M's
   runs are in order, and all there. */
void       unfold_groups(Merged* m);

#endif /* DCFG_CMD_MERGE_GROUPS_H */
