/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Images, as a debugger wants to know them. */

#ifndef DCFG_CMD_GDB_IMAGES_H
#define DCFG_CMD_GDB_IMAGES_H

#include "cmd/gdb/gdb_text.h"

#include "lib/dcfg_wet.h"

/* GdbImages: texts that gdb asks for with qXfer, and memory of the images that
   their files do not have: zeros. */
typedef
   struct {
      char*   program;          // path of its file; NULL: not known
      GdbText auxv, libraries;
   }
   GdbImages;

GdbImages gdb_images(DcfgWet* w, const char* root);
void      gdb_images_free(GdbImages* i);

/* Return the name of the program's image, which W has; NULL: not known. */
const char* gdb_program(DcfgWet* w);

#endif /* DCFG_CMD_GDB_IMAGES_H */
