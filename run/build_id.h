/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Which build of an object an image is. */

#ifndef __DCFG_BUILD_ID_H
#define __DCFG_BUILD_ID_H

#include "pub_tool_basics.h"

/* Find out which build of an object is mapped at LOAD, by what is in memory:
   its file may be gone, or another one.  *BUILD_ID becomes the build id in
   hexadecimal, to be freed; NULL if it has none.  Then *CODE_HASH becomes a
   hash of its code, as docs/reference.md has it; 0 if that cannot be
   compared with a file. */
void DCFG_(identify_build)(Addr load, HChar** build_id, ULong* code_hash);

#endif /* __DCFG_BUILD_ID_H */
