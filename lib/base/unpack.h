/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Compressed files that are read in any order. */

#ifndef DCFG_UNPACK_H
#define DCFG_UNPACK_H

#include "lib/base/input.h"

/* A file without a name, in the directory for such files, with the SIZE bytes
   that IN has from its begin on; or -1, also if there are more of them, or if
   that is more than may be written.  Whoever asked closes it. */
int input_unpack(Job* job, Input* in, uint64_t size);

#endif /* DCFG_UNPACK_H */
