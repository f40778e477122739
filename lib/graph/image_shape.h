/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tables of an image in a DCFG. */

#ifndef DCFG_IMAGE_SHAPE_H
#define DCFG_IMAGE_SHAPE_H

#include "lib/graph/load_rows.h"

extern const Shape image_shape;

/* Append the ids of a list to TO.  Ids that the walk has refused are 0. */
bool keep_ids(Load* l, Array* to, const Frame* f, uint32_t field);

#endif /* DCFG_IMAGE_SHAPE_H */
