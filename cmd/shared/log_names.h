/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names of functions in XRay logs. */

#ifndef DCFG_CMD_LOG_NAMES_H
#define DCFG_CMD_LOG_NAMES_H

#include "lib/dcfg_xray.h"

/* The map that the tool writes beside LOG; NULL if there is none.  To be
   freed. */
char*       map_beside(const char* log);

/* A function's symbol, or "libz.so.1.2.13+0x1234", as all commands have it, until
   text_forget().  The tool calls a function without a symbol after its address
   in the file, "0x0000000000001130". */
const char* log_symbol(const DcfgXrayFunction* f);

#endif /* DCFG_CMD_LOG_NAMES_H */
