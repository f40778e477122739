/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The initial memory of images, and loads that find other bytes. */

#ifndef DCFG_CMD_INITIAL_MEMORY_H
#define DCFG_CMD_INITIAL_MEMORY_H

#include "cmd/program/debug.h"

#include "lib/dcfg_cursor.h"
#include "lib/dcfg_slice.h"

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

/* Return it for all images with files, which are looked for below ROOT first,
   unless that is NULL.  TIMES are those of W; the caller frees them behind the
   result.  image_memory() also has the zeros behind what the files
   have, the rest of the pages of read-only segments, and the code that ran of
   images whose files are missing or other builds. */
ImageBytes image_bytes(DcfgWet* w, ImageTimes* times, const char* root);
ImageBytes image_memory(DcfgWet* w, ImageTimes* times, const char* root);
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

/* InitialMemory: the bytes with which a program's memory began.  They are read
   when they are needed. */
typedef struct InitialMemory InitialMemory;

/* Return the initial memory of P's trace, for initial_memory_free().  LOADS is
   that of the roles there.  P lasts as long as the result. */
InitialMemory* initial_memory_new(TraceProgram* p, const bool* loads);
void           initial_memory_free(InitialMemory* z);

/* The inputs of the instance ORDER are not what it loads; UINT64_MAX: none is so. */
void initial_leave_out(InitialMemory* z, uint64_t order);

/* Return a cursor of the trace, which Z owns; NULL if the trace can have none. */
DcfgCursor* initial_cursor(InitialMemory* z);

/* Return whether somebody else wrote what node USER of S loads over IN, one of its
   inputs.  Then the library says so; or no executed instruction wrote the bytes, and
   memory began with others.  Where these are not known for sure, return false. */
bool input_is_unseen(InitialMemory* z, const DcfgSlice* s, uint32_t user,
                     const DcfgSliceInput* in);

/* Set *U to the bytes that somebody else wrote over those with which the memory
   began, and that USER loads.  .since is the time at which it began, .time that of
   the first instance that loads some.  Return false if there are none. */
bool initial_unseen(InitialMemory* z, const DcfgSlice* s, uint32_t user,
                    DcfgSliceUnseen* u);

#endif /* DCFG_CMD_INITIAL_MEMORY_H */
