/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Guesses from their shapes which functions of two builds are the same. */

#ifndef DCFG_CMD_SHAPE_H
#define DCFG_CMD_SHAPE_H

#include "cmd/shared/functions.h"

/* ShapeSide: the functions of a run.  The arrays have an element for each. */
typedef
   struct {
      const Program*   g;
      const Functions* f;
      uint64_t*        number;  // functions of both runs with the same number
                                // are the same
      const uint32_t*  image;   // only functions of the same image pair
      const uint32_t*  name;    // 0: none; functions of different names never
                                // pair
      const bool*      open;    // the function may be paired
   }
   ShapeSide;

/* Pair open functions whose numbers only one side has.  Give the function of
   side 1 the number of side 0's, and enter that number into GUESSES. */
void match_shapes(const ShapeSide side[2], KeyMap* guesses);

#endif /* DCFG_CMD_SHAPE_H */
