/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The image at an address, at a time. */

#ifndef DCFG_CMD_IMAGE_TIMES_H
#define DCFG_CMD_IMAGE_TIMES_H

#include "lib/dcfg_cursor.h"

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

#endif /* DCFG_CMD_IMAGE_TIMES_H */
