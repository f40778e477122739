/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tables of an image in a DCFG. */

#ifndef DCFG_IMAGE_SHAPE_H
#define DCFG_IMAGE_SHAPE_H

#include "lib/graph/load_rows.h"

extern const Shape image_shape;

/* The ids of a list behind those that are in TO already.  Those that the
   walk did not like are 0. */
bool keep_ids(Load* l, Array* to, const Frame* f, uint32_t field);

#endif /* DCFG_IMAGE_SHAPE_H */
