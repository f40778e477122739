/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program of a whole execution trace. */

#ifndef DCFG_CMD_WET_PROGRAM_H
#define DCFG_CMD_WET_PROGRAM_H

#include "lib/dcfg_wet.h"

#include <stdbool.h>

/* Return the path of the file with main(), of a program without symbols that of
   the file loaded lowest; or NULL.  W owns the text. */
const char* wet_program(DcfgWet* w);

/* Return whether PATH, which may be NULL, is below /usr/include, /usr/lib or
   /lib: a header or library of the distribution; or a source of Rust's or Go's
   library. */
bool is_of_system(const char* path);

/* Set FOREIGN, which has an element for each instruction of W: it is not the
   program's own code.  That is the code with lines of the image that has
   INSTRS; if that is NULL, of the program and of all images that are not of a
   distribution. */
void mark_foreign(DcfgWet* w, const bool* instrs, bool* foreign);

/* Return, by number of an image of W, whether any of its instructions has a
   source line.  The caller frees the array. */
bool* images_with_lines(DcfgWet* w);

#endif /* DCFG_CMD_WET_PROGRAM_H */
