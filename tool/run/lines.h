/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Source lines of executed instructions. */

#ifndef __DCFG_LINES_H
#define __DCFG_LINES_H

#include "pub_tool_xarray.h"

/* Prepare the list of source files. */
void DCFG_(init_lines)(void);

/* Add to LINES, ImageLines in the order of addresses, those of the instructions
   of image NO that were translated since the last call.  The debug information
   of the image must be present.  *LAST is for the next call, 0 for the first
   one. */
void DCFG_(add_lines)(XArray* lines, UInt no, /*MOD*/UInt* last);

/* Return a new list for add_lines().  The caller frees it. */
XArray* DCFG_(new_lines)(void);

/* Return the path of a source file, 0 .. n_source_files-1. */
UInt         DCFG_(n_source_files)(void);
const HChar* DCFG_(source_file_name)(UInt no);

#endif /* __DCFG_LINES_H */
