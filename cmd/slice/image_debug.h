/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Debug information and symbols of an image. */

#ifndef DCFG_CMD_IMAGE_DEBUG_H
#define DCFG_CMD_IMAGE_DEBUG_H

#include "lib/dcfg_slice.h"

#include <elfutils/libdwfl.h>

/* Open what the file of AT's image has, at the addresses of the run; look for
   the file below ROOT first, unless that is NULL.  Return NULL if the file
   cannot be read, or is another build; else end it with dwfl_end(). */
Dwfl* image_debug_open(const DcfgWetInstr* at, const char* root,
                       Dwfl_Module** module);

/* The variable that has ADDR, in the program's own images: "total", "pool+8";
   NULL if none is known.  Lasts until text_forget(). */
const char* variable_at(DcfgWet* w, uint64_t addr, const char* root);

/* Has LINE of SOURCE code in the program's own images? */
typedef enum { CODE_UNKNOWN, CODE_NONE, CODE_SOME } LineCode;
LineCode line_code(DcfgWet* w, const char* source, uint64_t line,
                   const char* root);

#endif /* DCFG_CMD_IMAGE_DEBUG_H */
