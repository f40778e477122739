/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program's images, in the formats that gdb requests. */

#ifndef DCFG_CMD_GDB_IMAGES_H
#define DCFG_CMD_GDB_IMAGES_H

#include "cmd/gdb/gdb_text.h"

#include "lib/dcfg_wet.h"

/* GdbModule: the program, or a library, as thread-local storage needs it. */
typedef
   struct {
      uint64_t dynamic, dynamic_size;   // its dynamic section; 0: none
      bool     storage;         // has thread-local storage: its initial image in
      uint64_t image, image_size;       // memory, and its
      uint64_t size, align;     // whole size and alignment
   }
   GdbModule;

/* GdbLibrary: a library's row in the list of libraries, in XML. */
typedef
   struct {
      uint32_t image;           // its first instruction
      GdbText  row;
   }
   GdbLibrary;

/* GdbImages: objects that gdb requests with qXfer. */
typedef
   struct {
      char*   program;          // path of the program's file, below the root
                                // directory; NULL: not known, or changed
      GdbText auxv;             // the auxiliary vector, as in /proc/PID/auxv
      GdbLibrary* libraries;    // all that the trace has, at any time
      size_t  n_libraries, libraries_room;
      GdbModule* modules;       // the program is the first one
                                // there
      size_t  n_modules, room;
   }
   GdbImages;

/* Make the objects for trace W, whose files are looked for below directory
   ROOT, or below / if that is NULL.  The caller frees them. */
GdbImages gdb_images(DcfgWet* w, const char* root);
void      gdb_images_free(GdbImages* i);

/* Return what gdb has as the address of the link map of module N. */
static inline uint64_t gdb_module_id(size_t n)
{
   return 16 * ((uint64_t)n + 1);
}

/* Say on stderr which files of W's images gdb cannot use, because they are not
   there or are not what was executed.  Return whether the program's is among
   them. */
bool gdb_say_missing(DcfgWet* w, const char* root);

/* Return the name of the program's image, which W owns; NULL: not known. */
const char* gdb_program(DcfgWet* w);

#endif /* DCFG_CMD_GDB_IMAGES_H */
