/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Locations of the guest state's bytes. */

#ifndef __DCFG_STATE_H
#define __DCFG_STATE_H

#include "format/port.h"

/* Return the location of the byte at OFFSET of the guest state, or N_LOCS if it
   has none. */
UInt DCFG_(location_at)(UInt offset);

/* Return whether that byte is a component of the flags. */
Bool DCFG_(is_flag_at)(UInt offset);

#endif /* __DCFG_STATE_H */
