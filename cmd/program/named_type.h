/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Types that have a name in the program. */

#ifndef DCFG_CMD_NAMED_TYPE_H
#define DCFG_CMD_NAMED_TYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* VariableType: the type of a place, valid as long as the Variables. */
typedef
   struct {
      bool      known;
      Dwarf_Die die;
      uint8_t   bit_first, bit_size;    // a bit-field's; .bit_size is 0 for
                                        // others
   }
   VariableType;

#endif /* DCFG_CMD_NAMED_TYPE_H */
