/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Calls for speedscope. */

#ifndef DCFG_CMD_SPEEDSCOPE_H
#define DCFG_CMD_SPEEDSCOPE_H

#include "cmd/shared/call_walk.h"

/* Write all calls of a trace in their order, as speedscope reads them: see
   https://www.speedscope.app/file-format-schema.json; a profile for each
   thread, in instructions of the part that is meant. */
void write_speedscope(const Functions* f, const char* path, const Selection* sel,
                      FILE* out);

#endif /* DCFG_CMD_SPEEDSCOPE_H */
