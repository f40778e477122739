/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Sizes in the values of options. */

#ifndef __DCFG_SIZE_H
#define __DCFG_SIZE_H

#include "pub_tool_basics.h"
#include "format/port.h"

/* Read the size S: digits, then K, M, G or nothing.  *SIZE is in bytes.  Return
   False if S is not a size. */
Bool DCFG_(parse_size)(const HChar* s, ULong* size);

#endif /* __DCFG_SIZE_H */
