/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Facts about a whole execution trace. */

#ifndef DCFG_CMD_WET_INFO_H
#define DCFG_CMD_WET_INFO_H

#include "lib/dcfg_wet.h"

#include "cmd/base/outfile.h"

/* Write what the file of W has, and what it says of the process, to OUT. */
void wet_info(DcfgWet* w, Outfile* out);

#endif /* DCFG_CMD_WET_INFO_H */
