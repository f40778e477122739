/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Images: what is mapped where code runs. */

#ifndef __DCFG_IMAGE_H
#define __DCFG_IMAGE_H

#include "graph/image_info.h"

/* The number of the image that holds the code at A, LEN bytes, which is
   about to be run: an object, or another mapping.  When the mapping has
   other code than was run from it before, and after an unmapping, it is a
   new one; but an object that is mapped in the same place again, with the
   same code, is the one that it was. */
UInt DCFG_(image_of)(Addr a, SizeT len);

/* Where the first byte is mapped of the object that is mapped at A. */
Addr DCFG_(load_address)(Addr a);

/* Can code of image NO be run again, or are its translations gone? */
Bool DCFG_(image_can_run)(UInt no);

/* Will no more code be translated from image NO, ever? */
Bool DCFG_(image_is_over)(UInt no);

/* Ask the core to tell about unmappings. */
void DCFG_(track_images)(void);

UInt DCFG_(n_images)(void);

/* What is known of image NO, 0 .. n_images-1.  Valid until code runs
   again. */
void DCFG_(image_info)(UInt no, Bool with_lines, ImageInfo* info);

/* Path of a source file; numbers are 0 .. n_source_files-1. */
UInt         DCFG_(n_source_files)(void);
const HChar* DCFG_(source_file_name)(UInt no);

#endif /* __DCFG_IMAGE_H */
