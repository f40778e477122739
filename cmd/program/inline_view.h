/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Blocks, divided by what was inlined; counts of inlined functions. */

#ifndef DCFG_CMD_INLINE_VIEW_H
#define DCFG_CMD_INLINE_VIEW_H

#include "cmd/base/select.h"
#include "cmd/program/functions.h"
#include "cmd/program/inlined.h"

/* InlinePiece: consecutive instructions of a block with the same innermost
   scope. */
typedef
   struct {
      uint64_t addr;            // its first instruction's, in the run
      uint32_t n_instrs;
      uint32_t scope;           // or NO_SCOPE
   }
   InlinePiece;

typedef struct Pieces Pieces;

Pieces*      pieces_new(const Program* g, Inlined* in);
void         pieces_free(Pieces* p);

/* Return the pieces of block NODE, in order; *N is their number, at least 1.
   They are valid until the next call. */
const InlinePiece* pieces_of(Pieces* p, uint32_t node, uint32_t* n);

/* Return the scope of the block's last instruction. */
uint32_t piece_last_scope(Pieces* p, uint32_t node);

/* PieceSelection: the pieces that options select.  --function=NAME selects all
   pieces of blocks in NAME, and the pieces of other blocks that were inlined
   from NAME. */
typedef struct PieceSelection PieceSelection;

/* Return whether PIECE of block NODE is selected. */
bool            piece_selected(const PieceSelection* ps, uint32_t node,
                               const InlinePiece* piece);

/* Return, by scope, the entries by THREAD or all threads, to be freed; 0 for
   functions.  Entries are not calls: docs/report.md says how they are
   counted. */
uint64_t* count_entries(const Functions* f, Pieces* pieces, uint32_t thread);

/* Return how often control came into each scope from outside, by scope, wherever
   it entered.  This is more than entries where instructions have moved, and not 0
   where the compiler made several entries of one. */
uint64_t* count_flows(const Functions* f, Pieces* pieces, uint32_t thread);

/* Return whether SCOPE is a part of its parent that the compiler split off.
   Then instances of SCOPE's function have no entries. */
bool      is_part_of_parent(Inlined* in, uint32_t scope);

/* Return the calls of the function whose first block is NODE.  If NODE is a
   part split off FUNCTION, calls by FUNCTION itself do not count. */
uint64_t  count_calls(const Functions* f, Pieces* pieces, uint32_t node,
                      uint32_t function, uint32_t thread);

/* InlineView: the inlined functions of a process, and the selection of its
   pieces. */
typedef
   struct {
      Inlined*        in;
      Pieces*         pieces;
      PieceSelection* selected;
   }
   InlineView;

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

/* Return sums over the selected pieces of V that THREAD, or all threads,
   executed.  An instruction counts for its innermost scope. */
InlineSums* inline_sums_new(const Functions* f, const InlineView* v,
                            const Selection* blocks, uint32_t thread);
void        inline_sums_free(InlineSums* s);

/* Return whether the scope is an instance that was executed; false for a
   function. */
bool        is_executed_site(const Inlined* in, const InlineSums* s,
                             uint32_t scope);

/* Return the function of the source that has block NODE, regardless of
   inlining. */
uint32_t    source_function(const Functions* f, Pieces* pieces, uint32_t node);

/* Make the view.  S, which has .inlined, selects whole blocks to SEL.  SEL also
   gets blocks of which S selects only pieces, and must outlive the view.
   Images' files are looked for below ROOT, if that is not NULL. */
InlineView* inline_view_new(const Program* g, const Select* s, Selection* sel,
                            const char* root);
/* Return whether a function called NAME was inlined into code of BLOCKS that
   ran. */
bool        inline_view_has(InlineView* v, const Program* g,
                            const Selection* blocks, const char* name);
void        inline_view_free(InlineView* v);

#endif /* DCFG_CMD_INLINE_VIEW_H */
