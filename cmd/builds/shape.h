/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions of one shape. */

#ifndef DCFG_CMD_SHAPE_H
#define DCFG_CMD_SHAPE_H

#include "cmd/shared/functions.h"

/* A run's functions, each array by function. */
typedef
   struct {
      const Program*   g;
      const Functions* f;
      uint64_t*        number;  // functions of both runs with one are the same
      const uint32_t*  image;   // only functions of one image pair
      const uint32_t*  name;    // 0: none; functions of two names never pair
      const bool*      open;    // may get the number of another one
   }
   ShapeSide;

/* Guess which open functions, whose number only one side has, are the same.
   Give those of side 1 the number of side 0, and enter it in GUESSES. */
void match_shapes(const ShapeSide side[2], KeyMap* guesses);

#endif /* DCFG_CMD_SHAPE_H */
