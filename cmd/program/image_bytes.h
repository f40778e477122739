/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The initial memory of images. */

#ifndef DCFG_CMD_IMAGE_BYTES_H
#define DCFG_CMD_IMAGE_BYTES_H

#include "cmd/program/image_times.h"

/* ImageBytes: the initial memory of images, from their files. */
typedef
   struct {
      uint64_t addr, size;
      uint8_t* bytes;           // NULL: zeros
      uint64_t offset;          // in the file, or IMAGE_ANYWHERE
      bool     constant;        // mapped read-only
      uint32_t image, end;      // its instructions, from .image up to .end
   }
   ImagePart;

typedef
   struct {
      DcfgWet*    w;
      ImageTimes* times;
      ImagePart*  parts;
      size_t      n, room;
   }
   ImageBytes;

/* Return it for all images with files.  R and ROOT are as for
   image_times_new().  image_memory() also has the zeros behind what the files
   have, the rest of the pages of read-only segments, and the code that ran of
   images whose files are missing or other builds. */
ImageBytes image_bytes(DcfgWet* w, DcfgCursor* r, const char* root);
ImageBytes image_memory(DcfgWet* w, DcfgCursor* r, const char* root);
void       image_bytes_free(ImageBytes* b);

/* Return the part that has ADDR at time T; NULL if no image has it. */
const ImagePart* image_part(const ImageBytes* b, uint64_t addr, uint64_t t);

/* Return whether ADDR is in a part that is mapped read-only at time T. */
bool           image_is_constant(const ImageBytes* b, uint64_t addr,
                                 uint64_t t);

/* Return the byte at ADDR at time T, with *BEFORE bytes of its part before it, and
   *BEHIND from it on; NULL if no image has it. */
const uint8_t* image_byte(const ImageBytes* b, uint64_t addr, uint64_t t,
                          uint64_t* before, uint64_t* behind);

/* Do the same for ADDR in the image of instruction INSTR. */
const uint8_t* image_own_byte(const ImageBytes* b, uint32_t instr,
                              uint64_t addr, uint64_t* before,
                              uint64_t* behind);

#endif /* DCFG_CMD_IMAGE_BYTES_H */
