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
