/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A slice in a page of another command. */

#ifndef DCFG_CMD_SLICE_GUEST_H
#define DCFG_CMD_SLICE_GUEST_H

#include "cmd/page/page.h"

/* Guest page of a slice of a whole execution trace.  .write() dies if the
   trace cannot be read. */
extern const PageGuest slice_guest;

#endif /* DCFG_CMD_SLICE_GUEST_H */
