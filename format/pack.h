/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Packing of bytes: docs/dev/rec-file.md describes the result. */

#ifndef __DCFG_PACK_H
#define __DCFG_PACK_H

#include "format/port.h"

/* Pack the N bytes at FROM into TO, which has room for N bytes.  Return how many
   it takes, or N if that is not fewer; then TO is not filled. */
UInt DCFG_(pack)(const UChar* from, UInt n, UChar* to);

/* Unpack the N bytes at FROM into TO, which has ROOM bytes.  Return False if they
   do not fill it exactly. */
Bool DCFG_(unpack)(const UChar* from, UInt n, UChar* to, UInt room);

#endif /* __DCFG_PACK_H */
