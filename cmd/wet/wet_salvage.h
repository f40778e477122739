/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   What a killed process left. */

#ifndef DCFG_CMD_WET_SALVAGE_H
#define DCFG_CMD_WET_SALVAGE_H

/* Make the whole execution trace TO, which ends early, of the temporary file FROM
   of a process that was killed.  Dies if that cannot be done. */
void wet_salvage(const char* from, const char* to);

#endif /* DCFG_CMD_WET_SALVAGE_H */
