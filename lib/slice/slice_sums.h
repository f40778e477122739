/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Slices of which only sums are wanted. */

#ifndef DCFG_LIB_SLICE_SUMS_H
#define DCFG_LIB_SLICE_SUMS_H

#include "lib/slice/slice_kind.h"

extern const SliceKind slice_sums;

#endif /* DCFG_LIB_SLICE_SUMS_H */
