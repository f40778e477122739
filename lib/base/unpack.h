/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Unpacked copies of compressed files, for reading in any order. */

#ifndef DCFG_UNPACK_H
#define DCFG_UNPACK_H

#include "lib/base/input.h"

/* Write the SIZE bytes of IN, from its begin on, to a file without a name in
   the directory for temporary files.  Return its descriptor, which the caller
   closes; or -1 on failure, if IN has more bytes, or if they exceed the limit
   of disk space. */
int input_unpack(Job* job, Input* in, uint64_t size);

#endif /* DCFG_UNPACK_H */
