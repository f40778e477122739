/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Salvaging the whole execution trace of a killed process. */

#ifndef DCFG_CMD_WET_SALVAGE_H
#define DCFG_CMD_WET_SALVAGE_H

/* Make the whole execution trace TO, which ends early, from the spool file FROM
   of a killed process.  Exits if that is not possible. */
void wet_salvage(const char* from, const char* to);

#endif /* DCFG_CMD_WET_SALVAGE_H */
