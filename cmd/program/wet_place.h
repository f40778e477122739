/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Images of a whole execution trace in their files. */

#ifndef DCFG_CMD_WET_PLACE_H
#define DCFG_CMD_WET_PLACE_H

#include "lib/dcfg_slice.h"

#include <libelf.h>

/* Return the end of the image whose first instruction is FIRST: the number
   behind its last instruction. */
uint32_t image_end(DcfgWet* w, uint32_t first);

/* Set *ADDR to the address, as linked, of the byte at OFFSET of the file.
   Return false if no segment loads that byte. */
bool elf_address(Elf* elf, uint64_t offset, uint64_t* addr);

/* ImageElf: the file of an image, the offset of the image's first instruction, and
   how far the image is moved in memory against the file's own addresses. */
typedef
   struct {
      Elf*     elf;
      int      fd;
      uint64_t offset, moved;
   }
   ImageElf;

/* Set *TO to the file of the image whose first instruction is FIRST.  Return
   false if it cannot be read, is another build, or has other code. */
bool image_elf(DcfgWet* w, uint32_t first, const char* root, ImageElf* to);
void image_elf_close(ImageElf* e);

/* Return the path of an image's file: below ROOT if that is not NULL, else as
   in the run. */
const char* image_path_below(const char* root, const char* image);

/* Set *OFFSET to the place of FIRST's code in its image's file; other code is
   at the same distance as in memory.  Return NULL, or a sentence if the file
   cannot be read, is another build, has other code, or has it in several
   places. */
const char* image_place(DcfgWet* w, uint32_t first, const char* root,
                        uint64_t* offset);

/* Return why the image of instruction INSTR has no place; NULL if it has. */
const char* image_is_there(DcfgWet* w, uint32_t instr, const char* root);

/* Return memory that nothing writes: segments of all images with files that are
   mapped read-only, or become so after relocation.  For images whose
   instructions are all FOREIGN, also writable segments, as .tables.  The caller
   frees the array. */
DcfgSliceRange* image_constants(DcfgWet* w, const bool* foreign,
                                const char* root, uint32_t* n);

#endif /* DCFG_CMD_WET_PLACE_H */
