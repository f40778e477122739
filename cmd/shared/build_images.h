
/*--------------------------------------------------------------------*/
/*--- Images of two builds.                         build_images.h ---*/
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

#ifndef DCFG_CMD_BUILD_IMAGES_H
#define DCFG_CMD_BUILD_IMAGES_H

#include "cmd/base/names.h"

typedef
   struct {
      const Program* g;
      uint32_t*      image;     // by image: its number
   }
   ImageSide;

/* Images of two runs; those that are the same have one number. */
typedef
   struct {
      ImageSide side[2];
      uint32_t  n_images;       // numbers
      bool*     rebuilt;        // by image's number
      bool*     stripped;       // likewise: rebuilt, and a build has no symbols
      bool      differ;         // is any rebuilt?
   }
   BuildImages;

BuildImages build_images_new(const Program* x, const Program* y);
void        build_images_free(BuildImages* b);

#endif /* DCFG_CMD_BUILD_IMAGES_H */

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
