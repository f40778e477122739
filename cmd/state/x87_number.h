/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Numbers of 80 bits, and the doubles with which Valgrind computes. */

#ifndef DCFG_CMD_X87_NUMBER_H
#define DCFG_CMD_X87_NUMBER_H

#include "cmd/state/state_rules.h"

/* Return the 80 bits that are V, 8 bytes of a double, in x87's form.  Valgrind
   makes one NaN of all quiet NaNs, and one of all signalling NaNs. */
StateValue x87_extended(StateValue v);

/* Return the 8 bytes of the double that Valgrind makes of the 80 bits V, in its
   own way of rounding. */
StateValue x87_double(StateValue v);

#endif /* DCFG_CMD_X87_NUMBER_H */
