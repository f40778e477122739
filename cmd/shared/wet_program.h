/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program of a whole execution trace. */

#ifndef DCFG_CMD_WET_PROGRAM_H
#define DCFG_CMD_WET_PROGRAM_H

#include "lib/dcfg_wet.h"

#include <stdbool.h>

/* The file that has main(), or, of a program without symbols, that is loaded
   lowest; or NULL.  W has the text. */
const char* wet_program(DcfgWet* w);

/* Is PATH, which may be NULL, below /usr/include, /usr/lib or /lib, as the
   headers and libraries of a distribution are? */
bool is_of_system(const char* path);

#endif /* DCFG_CMD_WET_PROGRAM_H */
