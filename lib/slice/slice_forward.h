/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Forward slices. */

#ifndef DCFG_LIB_SLICE_FORWARD_H
#define DCFG_LIB_SLICE_FORWARD_H

#include "lib/slice/slice_kind.h"

extern const SliceKind slice_forward;

#endif /* DCFG_LIB_SLICE_FORWARD_H */
