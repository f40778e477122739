/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Functions of recorded calls. */

#ifndef DCFG_CMD_CALLED_H
#define DCFG_CMD_CALLED_H

#include "cmd/base/names.h"
#include "cmd/calls/call_walk.h"

/* NO_CALLS: what to do if a graph has no calls. */
#define NO_CALLS "valgrind --tool=dcfg --calls=yes records"

/* Return the symbol of a function of CALLS, or NULL; its name for people; the
   line where it begins, or "". */
const char* called_symbol(const Program* g, uint32_t function);
const char* called_name(const Program* g, uint32_t function);
const char* called_source(const Program* g, uint32_t function);

/* Return the name of its image, or "?". */
const char* called_image(const Program* g, uint32_t function);

/* Return the block that begins at its address; DCFG_NONE if none does. */
uint32_t called_node(const Program* g, uint32_t function);

/* Return the function of F that begins there; NO_FUNCTION if none does: a cold
   part is none. */
uint32_t called_function(const Functions* f, uint32_t function);

/* Return, by function of CALLS, how often THREAD called it; to be freed. */
uint64_t* called_counts(const DcfgProcess* p, uint32_t thread);

/* Return, by function of F, calls and instructions of THREAD; with CALLS, also
   inclusive costs; to be freed. */
FunctionCost* called_costs(const Functions* f, uint32_t thread);

#endif /* DCFG_CMD_CALLED_H */
