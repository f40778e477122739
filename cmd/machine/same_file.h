/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Is a file what was executed? */

#ifndef DCFG_CMD_SAME_FILE_H
#define DCFG_CMD_SAME_FILE_H

#include "cmd/machine/code.h"
#include "cmd/machine/same_build.h"

/* The comparison of an image with its file.  A DCFG has no code, and often no
   build id; what it says of blocks and symbols must be so in the file. */
typedef
   struct {
      uint64_t blocks;          // executed, and their instructions compared
      uint64_t unknown;         // of these, with code the decoder cannot read
      uint64_t targets;         // of direct jumps and calls
      uint64_t symbols;         // names that both have
      char     build_id[BUILD_ID_SIZE];  // the file's; "" if it has none
      char     difference[256]; // the first one; "" if there is none
   }
   Sameness;

/* Compare.  False if the file cannot be read: then it has been said why. */
bool same_file(Code* c, const Program* g, uint32_t image, Sameness* s);

#endif /* DCFG_CMD_SAME_FILE_H */
