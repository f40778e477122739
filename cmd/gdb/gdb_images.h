/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's images, in the formats that gdb requests. */

#ifndef DCFG_CMD_GDB_IMAGES_H
#define DCFG_CMD_GDB_IMAGES_H

#include "cmd/gdb/gdb_text.h"

#include "lib/dcfg_wet.h"

/* GdbImages: objects that gdb requests with qXfer. */
typedef
   struct {
      char*   program;          // path of the program's file, below the root
                                // directory; NULL: not known
      GdbText auxv, libraries;  // the auxiliary vector, as in /proc/PID/auxv;
                                // the list of libraries, in XML
   }
   GdbImages;

/* Make the objects for trace W, whose files are looked for below directory
   ROOT, or below / if that is NULL.  The caller frees them. */
GdbImages gdb_images(DcfgWet* w, const char* root);
void      gdb_images_free(GdbImages* i);

/* Return the name of the program's image, which W owns; NULL: not known. */
const char* gdb_program(DcfgWet* w);

#endif /* DCFG_CMD_GDB_IMAGES_H */
