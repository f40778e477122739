/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Addresses of functions in an XRay map.  The map is an ELF file without real
   code. */

#ifndef DCFG_FORMAT_XRAY_ADDRESSES_H
#define DCFG_FORMAT_XRAY_ADDRESSES_H

/* Function ID, counted from 1, begins at MAP_FIRST_ADDR + (ID - 1) *
   MAP_FUNCTION_SIZE. */
#define MAP_FIRST_ADDR    0x1000u
#define MAP_FUNCTION_SIZE 16u

#endif /* DCFG_FORMAT_XRAY_ADDRESSES_H */
