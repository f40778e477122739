/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Beginnings of functions without names. */

#ifndef DCFG_CMD_FUNCTION_STARTS_H
#define DCFG_CMD_FUNCTION_STARTS_H

#include "lib/dcfg_wet.h"

/* FunctionStarts: where the functions of a trace's images begin.  Stripped files
   have that, too, for exceptions. */
typedef struct FunctionStarts FunctionStarts;

/* Prepare for W.  Files are looked for below ROOT first, unless that is
   NULL. */
FunctionStarts* function_starts_new(DcfgWet* w, const char* root);
void            function_starts_free(FunctionStarts* s);

/* Return the place of the function of INSTR, counted from the place of its
   image; that of INSTR itself, if nothing tells. */
uint64_t function_start(FunctionStarts* s, uint32_t instr);

#endif /* DCFG_CMD_FUNCTION_STARTS_H */
