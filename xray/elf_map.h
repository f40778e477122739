/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The ELF file that names functions. */

#ifndef __DCFG_ELF_MAP_H
#define __DCFG_ELF_MAP_H

#include "pub_tool_basics.h"
#include "base/put.h"

/* Put the map of all functions that have a number (logs/ids.h). */
void DCFG_(put_elf_map)(Put* out);

/* Take the numbers of functions from the map NAME.  Returns why that cannot
   be done, or NULL. */
const HChar* DCFG_(read_elf_map)(const HChar* name);

#endif /* __DCFG_ELF_MAP_H */
