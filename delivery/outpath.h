/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Where a name leads. */


#ifndef __DCFG_OUTPATH_H
#define __DCFG_OUTPATH_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* What NAME is when all links are followed, to be freed; it need not exist.
   If it is a descriptor of this process (/dev/stdout, /dev/fd/N,
   /proc/self/fd/N), *FD is that one, else -1. */
HChar* DCFG_(follow_links)(const HChar* name, /*OUT*/Int* fd);

/* DIR/NAME, to be freed. */
HChar* DCFG_(join_path)(const HChar* dir, const HChar* name);

#endif /* __DCFG_OUTPATH_H */
