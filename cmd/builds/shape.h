/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions of one shape. */

#ifndef DCFG_CMD_SHAPE_H
#define DCFG_CMD_SHAPE_H

#include "cmd/shared/functions.h"

/* ShapeSide: a run's functions; each array is by function. */
typedef
   struct {
      const Program*   g;
      const Functions* f;
      uint64_t*        number;  // functions of both runs with the same number
                                // are the same
      const uint32_t*  image;   // only functions of the same image pair
      const uint32_t*  name;    // 0: none; functions of different names never
                                // pair
      const bool*      open;    // may get the number of another function
   }
   ShapeSide;

/* Guess which open functions, whose numbers only one side has, are the same.
   Give those of side 1 the number of side 0, and enter that in GUESSES. */
void match_shapes(const ShapeSide side[2], KeyMap* guesses);

#endif /* DCFG_CMD_SHAPE_H */
