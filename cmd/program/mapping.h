/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Images of a whole execution trace: their files, and when they were mapped. */

#ifndef DCFG_CMD_MAPPING_H
#define DCFG_CMD_MAPPING_H

#include "lib/dcfg_cursor.h"
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

/* Return memory that nothing writes: segments of all images with files that are
   mapped read-only, or become so after relocation.  For images whose
   instructions are all FOREIGN, also writable segments, as .tables.  The caller
   frees the array. */
DcfgSliceRange* image_constants(DcfgWet* w, const bool* foreign,
                                const char* root, uint32_t* n);

/* Return a new cursor of W, for dcfg_cursor_free(); with INDEX, W gets an index
   without a name for it if it has none.  Return NULL if W can have none. */
DcfgCursor* trace_cursor(DcfgWet* w, bool index);

/* ImageTimes: when the images of a trace were mapped.  Images are named by the
   number of their first instruction.  Times are those of lib/dcfg_cursor.h;
   nodes of a slice have them as .order. */
typedef struct ImageTimes ImageTimes;

/* Return the times of W's images, for image_times_free().  Nothing is read before
   the first question.  R is a cursor of W, and outlives the result.  If R is NULL, that
   question makes a cursor, for which W gets an index without a name if it has none
   and images share addresses: then W must be at its begin.  The images' files are
   looked for below ROOT first, unless that is NULL. */
ImageTimes* image_times_new(DcfgWet* w, DcfgCursor* r, const char* root);
void        image_times_free(ImageTimes* m);

/* Return whether the image was mapped at time T.  An image whose addresses nothing
   else ever has counts as mapped at all times.  If the trace does not tell the
   times, because it can have no index or its version is 3, an image is mapped if
   it shares its addresses with no other. */
bool image_is_mapped(ImageTimes* m, uint32_t image, uint64_t t);

/* Return the image that had ADDR at time T; DCFG_NONE: none had it. */
uint32_t image_at(ImageTimes* m, uint64_t addr, uint64_t t);

/* Return the first time behind T at which image_is_mapped() changes for some
   image; if BACK, the last such time that is not behind T.  Return UINT64_MAX,
   or 0 if BACK, if there is none. */
uint64_t image_times_change(ImageTimes* m, uint64_t t, bool back);

/* Return whether the byte at ADDR, which was mapped anew at time SINCE, got the
   byte at OFFSET of the image's file then; at any place of the file if OFFSET is
   IMAGE_ANYWHERE.  True if the trace does not tell. */
#define IMAGE_ANYWHERE UINT64_MAX
bool image_was_mapped(ImageTimes* m, uint32_t image, uint64_t addr,
                      uint64_t offset, uint64_t since);

/* Set *LOW and *HIGH to the addresses at which the image begins and ends. */
void image_extent(ImageTimes* m, uint32_t image, uint64_t* low,
                  uint64_t* high);

#endif /* DCFG_CMD_MAPPING_H */
