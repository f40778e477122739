/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Images: mappings with executed code. */

#ifndef __DCFG_IMAGE_H
#define __DCFG_IMAGE_H

#include "graph/image_info.h"

/* Return the number of the image of the LEN bytes of code at A, which are about
   to run.  A mapping becomes a new image after an unmapping, and when other
   code is in it than ran before.  But an object that is mapped in the same
   place again, with the same code, is the same image. */
UInt DCFG_(image_of)(Addr a, SizeT len);

/* Return the address of the first byte of the object that is mapped at A. */
Addr DCFG_(load_address)(Addr a);

/* Return whether code of image NO can run: it has translations. */
Bool DCFG_(image_can_run)(UInt no);

/* Return whether no more code will ever be translated from image NO. */
Bool DCFG_(image_is_over)(UInt no);

/* Register for the core's mappings and unmappings. */
void DCFG_(track_images)(void);

/* Copy the symbols of all images, so that a child that is about to be forked
   need not. */
void DCFG_(share_symbols)(void);

UInt DCFG_(n_images)(void);

/* Describe image NO, 0 .. n_images-1.  Valid until code runs again. */
void DCFG_(image_info)(UInt no, Bool with_lines, ImageInfo* info);

#endif /* __DCFG_IMAGE_H */
