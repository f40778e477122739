/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Values of a run, for code that did not run. */

#ifndef DCFG_CMD_OMITTED_VALUE_H
#define DCFG_CMD_OMITTED_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* OmittedValue: a function that sets *VALUE to the SIZE bytes at PLACE just
   before INSTANCE of instruction INSTR.  If SIZE is 0, PLACE is a general
   register.  Return false if the value is not known. */
typedef bool (*OmittedValue)(void* arg, uint32_t instr, uint64_t instance,
                             uint64_t place, uint64_t size, uint64_t* value);

#endif /* DCFG_CMD_OMITTED_VALUE_H */
