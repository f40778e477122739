/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The program of a whole execution trace. */

#ifndef DCFG_CMD_WET_PROGRAM_H
#define DCFG_CMD_WET_PROGRAM_H

#include "lib/dcfg_wet.h"

/* The file that has main(), or, of a program without symbols, that is loaded
   lowest; or NULL.  W has the text. */
const char* wet_program(DcfgWet* w);

#endif /* DCFG_CMD_WET_PROGRAM_H */
