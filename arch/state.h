/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Locations in the guest's state. */

#ifndef __DCFG_STATE_H
#define __DCFG_STATE_H

#include "base/port.h"

/* The location of the byte at OFFSET of the guest state, or N_LOCS. */
UInt DCFG_(location_at)(UInt offset);

/* Is that a part of what the flags are made of? */
Bool DCFG_(is_flag_at)(UInt offset);

#endif /* __DCFG_STATE_H */
