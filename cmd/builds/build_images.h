/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Pairs the images of two runs, and finds out which were rebuilt. */

#ifndef DCFG_CMD_BUILD_IMAGES_H
#define DCFG_CMD_BUILD_IMAGES_H

#include "cmd/base/names.h"

/* ImageSide: a run. */
typedef
   struct {
      const Program* g;
      uint32_t*      image;     // by image: its common number
   }
   ImageSide;

/* BuildImages: the images of two runs.  The same image has the same number in
   both. */
typedef
   struct {
      ImageSide side[2];
      uint32_t  n_images;       // the number of common numbers
      bool*     rebuilt;        // by common number: the builds differ
      bool*     same;           // by common number: the builds' ids are equal
      bool*     stripped;       // by common number: the builds differ, and one
                                // of them has no symbols
      bool      differ;         // some image was rebuilt
   }
   BuildImages;

/* Return the images of runs X and Y, for build_images_free().  X and Y must
   last as long. */
BuildImages build_images_new(const Program* x, const Program* y);
void        build_images_free(BuildImages* b);

#endif /* DCFG_CMD_BUILD_IMAGES_H */
