/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Addresses of stores on the other side of a branch. */

#ifndef DCFG_CMD_OTHER_SIDE_H
#define DCFG_CMD_OTHER_SIDE_H

/* Private to the room omitted/. */

#include "cmd/omitted/branch_log.h"
#include "cmd/omitted/omitted_value.h"

/* OtherSide: a branch instance, for the execution of its other side. */
typedef
   struct {
      const StaticCode* c;
      OmittedValue value;       // returns values at the branch
      void*        arg;
      uint32_t     instr;       // the branch
      uint64_t     instance;
      uint64_t     frame;       // call frame address at the branch, or 0
      unsigned     left;        // number of values that may still be asked
   }
   OtherSide;

/* Set *ADDR to the address that store S would have had.  Return false if it
   is not known.  Set *SURE to whether every way to S leads to this address. */
bool other_side_address(OtherSide* o, const SideStore* s, uint64_t* addr,
                        bool* sure);

#endif /* DCFG_CMD_OTHER_SIDE_H */
