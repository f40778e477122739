/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Pairs the stubs of linkage tables of two builds, by name. */

#ifndef DCFG_CMD_STUB_MATCH_H
#define DCFG_CMD_STUB_MATCH_H

#include "cmd/builds/build_images.h"
#include "cmd/shared/functions.h"

/* StubSide: a run.  Arrays have an element for each block, but for .numbers. */
typedef
   struct {
      const Functions* f;
      const uint64_t*  numbers; // by function: its number, equal in both runs
      const uint64_t*  places;  // by block, by build_places()
      uint64_t*        stub;    // the result: equal for the same stub in both
                                // runs; NO_STUB for other blocks
   }
   StubSide;

/* NO_STUB: all bits, which .stub has before. */
#define NO_STUB UINT64_MAX

/* Set .stub of both sides, for the stubs of all images but those that are known
   to be one build. */
void match_stubs(const BuildImages* images, StubSide side[2]);

#endif /* DCFG_CMD_STUB_MATCH_H */
