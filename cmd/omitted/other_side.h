/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Addresses of stores on the other side of a branch. */

#ifndef DCFG_CMD_OTHER_SIDE_H
#define DCFG_CMD_OTHER_SIDE_H

/* Private to the room omitted/. */

#include "cmd/omitted/branch_log.h"
#include "cmd/omitted/omitted_value.h"

/* OtherSide: a branch instance whose other side is looked at. */
typedef
   struct {
      const StaticCode* c;
      OmittedValue value;       // asked for registers and memory before the branch
      void*        arg;
      uint32_t     instr;       // the branch's, and its instance
      uint64_t     instance;
      uint64_t     frame;       // its activation's call frame address, or 0
      unsigned     left;        // so many values may still be asked for
   }
   OtherSide;

/* Set *ADDR to where S would have stored.  False if that is not known.  *SURE:
   whatever way control had gone there. */
bool other_side_address(OtherSide* o, const SideStore* s, uint64_t* addr,
                        bool* sure);

#endif /* DCFG_CMD_OTHER_SIDE_H */
