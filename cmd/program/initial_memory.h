/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Initial memory that somebody else wrote. */

#ifndef DCFG_CMD_INITIAL_MEMORY_H
#define DCFG_CMD_INITIAL_MEMORY_H

#include "lib/dcfg_cursor.h"
#include "lib/dcfg_slice.h"

/* InitialMemory: the bytes with which a program's memory began.  They are read
   when they are needed. */
typedef struct InitialMemory InitialMemory;

/* Return the initial memory of W, for initial_memory_free().  LOADS is that of the
   roles in W.  Images are looked for below ROOT first, unless that is NULL. */
InitialMemory* initial_memory_new(DcfgWet* w, const char* root,
                                  const bool* loads);
void           initial_memory_free(InitialMemory* z);

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
