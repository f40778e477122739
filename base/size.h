/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sizes in options. */

#ifndef __DCFG_SIZE_H
#define __DCFG_SIZE_H

#include "pub_tool_basics.h"
#include "base/port.h"

/* A size: digits, and K, M or G.  Returns False if S is none. */
Bool DCFG_(parse_size)(const HChar* s, ULong* size);

#endif /* __DCFG_SIZE_H */
