/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Names of functions in XRay logs. */

#ifndef DCFG_CMD_LOG_NAMES_H
#define DCFG_CMD_LOG_NAMES_H

#include "lib/dcfg_xray.h"

/* Return the path of the map that the tool wrote beside LOG, to be freed; NULL
   if there is none. */
char*       map_beside(const char* log);

/* Return a function's symbol; without one "libz.so.1.2.13+0x1234", as all
   commands call it.  The tool wrote the address in the file,
   "0x0000000000001234".  Valid until text_forget(). */
const char* log_symbol(const DcfgXrayFunction* f);

#endif /* DCFG_CMD_LOG_NAMES_H */
