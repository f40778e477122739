/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Parts of a file with code. */

#ifndef DCFG_CMD_CODE_SPANS_H
#define DCFG_CMD_CODE_SPANS_H

/* Private to the room program/. */

#include "cmd/program/scopes.h"

/* Sort N spans, and join those that touch or overlap.  Return how many are
   left. */
size_t    join_spans(CodeSpan* spans, size_t n);

/* Return the file's executable segments, in order, to be freed; *N is their
   number. */
CodeSpan* code_segments(Elf* elf, size_t* n);

#endif /* DCFG_CMD_CODE_SPANS_H */
