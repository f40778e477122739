/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Locations in use. */

#ifndef DCFG_CMD_WANTS_H
#define DCFG_CMD_WANTS_H

/* Private to the room omitted/. */

#include "cmd/omitted/static_code.h"

#include "lib/dcfg_slice.h"

/* Want: a location that a node of the slice used, and that no instance wrote
   between .from and .to. */
typedef
   struct {
      uint32_t node;            // the user
      uint32_t at;              // its node in the code; NO_NODE: a library's
      bool     memory;
      bool     asked;           // the criterion asks for it
      bool     based;           // the user addressed it by a register other
                                // than its frame's
      uint64_t place, size;     // memory, or a general register
      int64_t  offset;          // in .at's frame, or from the register
      bool     in_frame;        // the user addressed it by its frame
      uint64_t from, to;        // .order of the writer, and of the user
      uint32_t distance;
   }
   Want;

typedef
   struct {
      Want*  all;               // the nearest first
      size_t n, room;
      bool   bounded;
      bool   vectors;           // vector or x87 registers held values, too
   }
   Wants;

/* Return the locations that the N NODES of S used.  NODES may be NULL: all
   nodes.  S is the answer to Q.  The caller frees .all. */
Wants wants_find(const StaticCode* c, const DcfgSlice* s,
                 const DcfgSliceQuery* q, const uint32_t* nodes, size_t n);

/* Set *OFFSET to the distance of operand M of node N from the call frame
   address, in bytes.  Return false if M is not in the frame, or if that is
   not known. */
bool operand_in_frame(const StaticCode* c, uint32_t n, const MemoryOperand* m,
                      int64_t* offset);

#endif /* DCFG_CMD_WANTS_H */
