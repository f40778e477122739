/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Images of two builds. */

#ifndef DCFG_CMD_BUILD_IMAGES_H
#define DCFG_CMD_BUILD_IMAGES_H

#include "cmd/base/names.h"

typedef
   struct {
      const Program* g;
      uint32_t*      image;     // by image: its number
   }
   ImageSide;

/* BuildImages: the images of two runs.  The same image has the same number in
   both. */
typedef
   struct {
      ImageSide side[2];
      uint32_t  n_images;       // how many numbers there are
      bool*     rebuilt;        // by number
      bool*     stripped;       // by number: rebuilt, and one build has no
                                // symbols
      bool      differ;         // some image was rebuilt
   }
   BuildImages;

BuildImages build_images_new(const Program* x, const Program* y);
void        build_images_free(BuildImages* b);

#endif /* DCFG_CMD_BUILD_IMAGES_H */
