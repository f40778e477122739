/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg export --champsim: writes a thread's instructions as a ChampSim
   trace. */

#ifndef DCFG_CMD_EXPORT_CHAMPSIM_H
#define DCFG_CMD_EXPORT_CHAMPSIM_H

#include <stdint.h>

/* Write the instructions of THREAD in the whole execution trace FILE to the
   file OUT, as a ChampSim trace.  If THREAD is NOT_GIVEN, FILE must have only
   one thread.  If OUT is NULL, write to the standard output.  Die after an
   error. */
void export_champsim(const char* file, uint64_t thread, const char* out);

#endif /* DCFG_CMD_EXPORT_CHAMPSIM_H */
