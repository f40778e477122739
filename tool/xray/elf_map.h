/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The map of an XRay log: an ELF file that names functions. */

#ifndef __DCFG_ELF_MAP_H
#define __DCFG_ELF_MAP_H

#include "pub_tool_basics.h"
#include "format/put.h"

/* Put the map of all functions with a number (tool/calls/active.h). */
void DCFG_(put_elf_map)(Put* out);

/* Reserve the numbers that functions have in the map NAME.  Return NULL, or the
   reason for a failure. */
const HChar* DCFG_(read_elf_map)(const HChar* name);

#endif /* __DCFG_ELF_MAP_H */
