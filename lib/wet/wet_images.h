/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The images of a wet file. */

#ifndef DCFG_LIB_WET_IMAGES_H
#define DCFG_LIB_WET_IMAGES_H

#include "lib/wet/wet.h"

/* Read the section of source files, then that of images, from B. */
bool wet_get_sources(DcfgWet* w, ByteReader* b);
bool wet_get_images(DcfgWet* w, ByteReader* b);
void wet_free_images(DcfgWet* w);

/* Return the address of the function that has ADDR; UINT64_MAX if it is not
   known.  *NEAR is the place of the symbol that was found last, at first 0. */
uint64_t wet_function_at(const DcfgWet* w, uint32_t image, uint64_t addr,
                         uint32_t* near);

/* Return the symbol of instruction N, or NULL.  NEAR is as above. */
const char* wet_function_name(const DcfgWet* w, uint32_t n, uint32_t* near);

/* Return the first image that has ADDR, or DCFG_NONE. */
uint32_t wet_image_at(const DcfgWet* w, uint64_t addr);

#endif /* DCFG_LIB_WET_IMAGES_H */
