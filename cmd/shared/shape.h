
/*--------------------------------------------------------------------*/
/*--- Functions of one shape.                              shape.h ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

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

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
