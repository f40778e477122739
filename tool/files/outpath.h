/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Links in names of output files. */


#ifndef __DCFG_OUTPATH_H
#define __DCFG_OUTPATH_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* Return NAME with all links followed; the target need not exist.  If NAME is a
   descriptor of this process (/dev/stdout, /dev/fd/N, /proc/self/fd/N), *FD is
   its number, else -1.  The caller frees the result. */
HChar* DCFG_(follow_links)(const HChar* name, /*OUT*/Int* fd);

/* Return DIR/NAME.  The caller frees it. */
HChar* DCFG_(join_path)(const HChar* dir, const HChar* name);

#endif /* __DCFG_OUTPATH_H */
