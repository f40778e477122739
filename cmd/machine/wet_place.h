/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Where a file has an image's code. */

#ifndef DCFG_CMD_WET_PLACE_H
#define DCFG_CMD_WET_PLACE_H

#include "lib/dcfg_slice.h"

/* The instructions of the image of instruction FIRST, which is its first, are
   those up to the one that is returned. */
uint32_t image_end(DcfgWet* w, uint32_t first);

/* An image's file, which is looked for below ROOT, if that is not NULL, and then
   where the run had it. */
const char* image_path_below(const char* root, const char* image);

/* *OFFSET is where the file of that image has the code of FIRST; the others
   are as far from it as in memory.  Returns NULL; if the file cannot be read, is
   another build, has another code, or it in several places: a sentence that
   says so. */
const char* image_place(DcfgWet* w, uint32_t first, const char* root,
                        uint64_t* offset);

/* Why the image of instruction INSTR has no such place; NULL if it has. */
const char* image_is_there(DcfgWet* w, uint32_t instr, const char* root);

/* Memory that nothing writes: of all images whose files are there, what is
   mapped for reading only, or is so once it has been relocated; and of images of
   which all instructions are FOREIGN, what may be written, as .tables.  The
   caller frees it. */
DcfgSliceRange* image_constants(DcfgWet* w, const bool* foreign,
                                const char* root, uint32_t* n);

/* ImageBytes: what images had in memory when they were loaded, as their files
   have it. */
typedef
   struct {
      uint64_t addr, size;
      uint8_t* bytes;
   }
   ImagePart;

typedef
   struct {
      ImagePart* parts;
      size_t     n, room;
   }
   ImageBytes;

/* Those of all images whose files are there. */
ImageBytes image_bytes(DcfgWet* w, const char* root);
void       image_bytes_free(ImageBytes* b);

/* The byte at ADDR: *BEFORE bytes of its part stand before it, and *BEHIND from
   it on; NULL if no image has it. */
const uint8_t* image_byte(const ImageBytes* b, uint64_t addr, uint64_t* before,
                          uint64_t* behind);

#endif /* DCFG_CMD_WET_PLACE_H */
