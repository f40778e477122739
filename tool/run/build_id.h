/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Build ids and hashes of mapped objects. */

#ifndef __DCFG_BUILD_ID_H
#define __DCFG_BUILD_ID_H

#include "pub_tool_basics.h"

/* Identify the build of the object at LOAD from memory, because its file may be
   gone or changed.  *BUILD_ID becomes the build id in hexadecimal, which the
   caller frees, or NULL if it has none.  Then *CODE_HASH becomes a hash of its
   code, as docs/reference.md defines it, or 0 if the code cannot be compared
   with a file. */
void DCFG_(identify_build)(Addr load, HChar** build_id, ULong* code_hash);

#endif /* __DCFG_BUILD_ID_H */
