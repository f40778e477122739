/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Floating point, computed with integers. */

#ifndef DCFG_LIB_WET_FLOATS_H
#define DCFG_LIB_WET_FLOATS_H

#include <stdint.h>

#include "format/wet_code.h"

/* Return what TERM, one of floating point, makes of the bits X and Y.  The
   result has SIZE bytes; higher ones have any contents. */
uint64_t wet_float_term(unsigned term, uint64_t x, uint64_t y, unsigned size);

#endif /* DCFG_LIB_WET_FLOATS_H */
