/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The other sides of branches. */

#ifndef DCFG_CMD_SIDES_H
#define DCFG_CMD_SIDES_H

/* Private to the room omitted/. */

#include "cmd/omitted/wants.h"

/* SideStore: an instruction that writes a wanted location, on one side of a
   branch or in a function that is called there. */
typedef
   struct {
      uint32_t branch;          // this, .side, .store, .call: nodes
      uint32_t side;            // successor of .branch that begins the side
      uint32_t store;
      uint32_t call;            // call that leads to .store; or NO_NODE
      uint32_t want;
      bool     sure;            // control at .side certainly comes to .store
      bool     turn;            // .side leads back to .branch: another
                                // iteration of a loop
      bool     located;         // .store certainly writes the wanted place
      bool     in_frame;        // or does so if .offset in its frame is there
      int64_t  offset;
   }
   SideStore;

typedef
   struct {
      SideStore* all;
      size_t     n, room;
      const char* bounded;      // NULL, or in words the part that was
                                // searched
   }
   SideStores;

/* Return the stores to WANTS on the sides of executed branches.  The caller
   frees .all. */
SideStores side_stores_find(const StaticCode* c, const Wants* wants);

#endif /* DCFG_CMD_SIDES_H */
