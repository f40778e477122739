/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Counts of functions, inlined or not. */

#ifndef DCFG_CMD_INLINE_SUMS_H
#define DCFG_CMD_INLINE_SUMS_H

#include "cmd/program/piece_select.h"
#include "cmd/program/functions.h"

/* FunctionSum: a function of the source, over all copies and instances. */
typedef
   struct {
      uint64_t instrs;
      uint64_t inlined;         // instructions of instances
      uint64_t calls;           // calls of copies
      uint64_t entries;         // entries of instances
      uint32_t sites;           // instances that were executed
      uint32_t image;           // an image that has it; DCFG_NONE: nothing ran
      uint32_t node;            // a block of a copy, the first if it ran; or
                                // DCFG_NONE
   }
   FunctionSum;

typedef
   struct {
      uint64_t instrs;
      uint64_t inclusive;       // with instances inside
      uint64_t entries;
   }
   ScopeSum;

typedef
   struct {
      FunctionSum* functions;   // by function
      uint32_t     n_functions;
      ScopeSum*    scopes;      // by scope
      uint32_t     n_scopes;
   }
   InlineSums;

/* Return sums over the SELECTED pieces that THREAD, or all threads, executed.
   An instruction counts for its innermost scope. */
InlineSums* inline_sums_new(const Functions* f, Inlined* in, Pieces* pieces,
                            const PieceSelection* selected,
                            const Selection* blocks, uint32_t thread);
void        inline_sums_free(InlineSums* s);

/* Return whether the scope is an instance that was executed; false for a
   function. */
bool        is_executed_site(const Inlined* in, const InlineSums* s,
                             uint32_t scope);

/* Return the function of the source that has block NODE, regardless of
   inlining. */
uint32_t    source_function(const Functions* f, Inlined* in, Pieces* pieces,
                            uint32_t node);

#endif /* DCFG_CMD_INLINE_SUMS_H */
