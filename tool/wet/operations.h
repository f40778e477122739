/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Terms that VEX's operations are. */

/* Private to wet/. */

#ifndef __DCFG_WET_OPERATIONS_H
#define __DCFG_WET_OPERATIONS_H

#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "format/wet_code.h"

/* Return whether a temporary of type TY has just the bits that it got. */
Bool DCFG_(has_bits)(IRType ty);

/* Operation: a term's operation on SIZE bytes; 0: there is none. */
typedef
   struct {
      UChar term, size;
   }
   Operation;

/* Return the operation on two integers or doubles that OP is.  An operation on
   doubles has the rounding mode before them. */
Operation DCFG_(operation_of)(IROp op);

/* Return the operation that OP is on a number and, if it is a Binop, a rounding
   mode before it. */
Operation DCFG_(rounded_of)(IROp op);

/* Conversion: from FROM to TO bytes, with the sign or without; 0: there is
   none. */
typedef
   struct {
      UChar from, to;
      Bool  is_signed;
   }
   Conversion;

Conversion DCFG_(conversion_of)(IROp op);

/* LaneOperation: one on vectors.  LanesAll: TERM of each word of 8 bytes.
   LanesLow64, LanesLow32: TERM of the lowest 8 or 4 bytes; the others are those
   of the first vector. */
typedef enum { LanesNone, LanesAll, LanesLow64, LanesLow32 } Lanes;

typedef
   struct {
      UChar lanes;
      UChar term;
      UChar n_vectors;           // 1 or 2
      Bool  has_mode;            // comes a rounding mode before these?
   }
   LaneOperation;

LaneOperation DCFG_(lane_operation_of)(IROp op);

#endif /* __DCFG_WET_OPERATIONS_H */
