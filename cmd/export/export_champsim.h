/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Traces for ChampSim. */

#ifndef DCFG_CMD_EXPORT_CHAMPSIM_H
#define DCFG_CMD_EXPORT_CHAMPSIM_H

#include <stdint.h>

/* Write the instructions of THREAD in the whole execution trace FILE to OUT, as
   ChampSim reads them.  NOT_GIVEN is the only thread; NULL is the standard
   output.  Exits after an error. */
void export_champsim(const char* file, uint64_t thread, const char* out);

#endif /* DCFG_CMD_EXPORT_CHAMPSIM_H */
