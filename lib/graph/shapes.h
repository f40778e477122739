/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tables and objects of a DCFG. */

#ifndef DCFG_SHAPES_H
#define DCFG_SHAPES_H

#include "lib/graph/load_rows.h"

extern const Shape dcfg_shape;

#endif /* DCFG_SHAPES_H */
