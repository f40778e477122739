/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tables and objects of a DCFG. */

#ifndef DCFG_SHAPES_H
#define DCFG_SHAPES_H

#include "lib/json/fields.h"
#include "lib/graph/model.h"

/* What the functions of the shapes get. */
typedef
   struct {
      Model* m;
      Job*   job;
      Walk*  walk;
   }
   Load;

extern const Shape dcfg_shape;

#endif /* DCFG_SHAPES_H */
