/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Comparison of an image with its file. */

#ifndef DCFG_CMD_SAME_FILE_H
#define DCFG_CMD_SAME_FILE_H

#include "cmd/program/code.h"
#include "cmd/program/same_build.h"

/* Sameness: the comparison of an image with its file.  A DCFG has no code, and
   often no build id, so blocks and symbols are compared. */
typedef
   struct {
      uint64_t blocks;          // executed blocks whose instructions were
                                // compared
      uint64_t unknown;         // among these, with unreadable code
      uint64_t targets;         // targets of direct jumps and calls
      uint64_t symbols;         // names that both have
      char     build_id[BUILD_ID_SIZE];  // the file's; "" if it has none
      char     difference[256]; // the first one; "" if there is none
   }
   Sameness;

/* Compare.  Return False, after a message, if the file cannot be read. */
bool same_file(Code* c, const Program* g, uint32_t image, Sameness* s);

#endif /* DCFG_CMD_SAME_FILE_H */
