/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The other sides of branches. */

#ifndef DCFG_CMD_SIDES_H
#define DCFG_CMD_SIDES_H

/* Private to the room omitted/. */

#include "cmd/omitted/wants.h"

/* SideStore: an instruction on one side of a branch, or in a function that is
   called there, that writes what is wanted. */
typedef
   struct {
      uint32_t branch;          // nodes of the code
      uint32_t side;            // the successor of .branch where the side begins
      uint32_t store;
      uint32_t call;            // leads to .store; or NO_NODE
      uint32_t want;
      bool     sure;            // who goes to .side comes to .store
      bool     turn;            // .side leads back to .branch: it is another
                                // turn of a loop
      bool     located;         // .store writes the wanted place for certain
      bool     in_frame;        // or if its frame puts .offset there
      int64_t  offset;
   }
   SideStore;

typedef
   struct {
      SideStore* all;
      size_t     n, room;
      const char* bounded;      // all that was looked at, or NULL
   }
   SideStores;

/* Find what executed branches have on their sides. */
SideStores side_stores_find(const StaticCode* c, const Wants* wants);

#endif /* DCFG_CMD_SIDES_H */
