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
   /lib: a header or library of the distribution. */
bool is_of_system(const char* path);

#endif /* DCFG_CMD_WET_PROGRAM_H */
