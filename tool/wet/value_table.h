/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables of a column's numbers. */

/* Private to wet/. */

#ifndef __DCFG_VALUE_TABLE_H
#define __DCFG_VALUE_TABLE_H

#include "pub_tool_basics.h"
#include "tool/wet/bit_pen.h"

/* Number the different values of a column: the first one is LAST plus D[0], each
   next one is the one before plus its difference in D, up to N rows.  Return how
   many there are.  0: more than MOST. */
UInt DCFG_(make_table)(ULong last, const ULong* d, UInt n, UInt most);

/* Return the size in bytes of the table that was made, of M values for N rows,
   when it is put. */
SizeT DCFG_(size_of_table)(UInt m, UInt n);

/* Put that table: its values to TO, the end of which is returned, and the index
   of each row to BITS. */
UChar* DCFG_(put_table)(BitPen* bits, UChar* to, UInt m, UInt n);

#endif /* __DCFG_VALUE_TABLE_H */
