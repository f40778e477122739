/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Debug information and symbols of an image. */

#ifndef DCFG_CMD_IMAGE_DEBUG_H
#define DCFG_CMD_IMAGE_DEBUG_H

#include "cmd/program/mapping.h"

#include "lib/dcfg_slice.h"

#include <elfutils/libdwfl.h>

/* Return the variable of the program's own images that has ADDR at time T, such as
   "total" or "pool+8"; NULL if no symbol has it.  The text lasts until
   text_forget(). */
const char* variable_at(DcfgWet* w, ImageTimes* times, uint64_t addr,
                        uint64_t t, const char* root);

/* LineCode: whether a line has code in the program's own images.
   CODE_UNKNOWN: their debug information does not name the file.  For LINE of
   SOURCE, line_code() returns it. */
typedef enum { CODE_UNKNOWN, CODE_NONE, CODE_SOME } LineCode;
LineCode line_code(DcfgWet* w, const char* source, uint64_t line,
                   const char* root);

#endif /* DCFG_CMD_IMAGE_DEBUG_H */
