/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Blocks, divided by what was inlined. */

/* Owns: the pieces of blocks.  Handed: a process, and scopes by inlined.c. */

#include "cmd/program/pieces.h"

#include <stdlib.h>
#include <string.h>

/* BlockPieces: a block's pieces, in .all. */
typedef
   struct {
      size_t   first;
      uint32_t n;               // 0: not divided yet
   }
   BlockPieces;

struct Pieces {
   const DcfgProcess* p;
   Program            g;
   Inlined*           in;
   BlockPieces*       of;       // by block
   InlinePiece*             all;
   size_t             n, room;
   bool*              told;     // by image: the user knows that its code cannot
                                // be decoded
};

Pieces* pieces_new(const Program* g, Inlined* in)
{
   Pieces* p = zalloc(1, sizeof(*p));

   p->g    = *g;
   p->p    = g->p;
   p->in   = in;
   p->of   = zalloc(g->p->n_blocks, sizeof(*p->of));
   p->told = zalloc(g->p->n_images, sizeof(*p->told));
   return p;
}

void pieces_free(Pieces* p)
{
   if (p == NULL)
      return;
   free(p->of);
   free(p->all);
   free(p->told);
   free(p);
}

static void add_piece(Pieces* p, BlockPieces* b, uint64_t addr, uint32_t scope)
{
   if (b->n > 0 && p->all[p->n - 1].scope == scope) {
      p->all[p->n - 1].n_instrs++;
      return;
   }
   GROW(p->all, p->n, p->room);
   p->all[p->n++] = (InlinePiece){ addr, 1, scope };
   b->n++;
}

/* Divide a block in which the scope changes.  Return false if it is not known
   where its instructions begin. */
static bool divide(Pieces* p, const DcfgNode* node, BlockPieces* b)
{
   uint32_t* starts;
   uint64_t  end = 0;
   uint32_t  scope = NO_SCOPE;
   bool      known;

   if (node->n_instrs == 0 || node->n_instrs > node->size)
      return false;
   starts = zalloc(node->n_instrs, sizeof(*starts));
   known  = code_starts(inlined_code(p->in), node->image, node->addr,
                        node->size, node->n_instrs, starts);
   for (uint32_t i = 0; known && i < node->n_instrs; i++) {
      uint64_t addr = node->addr + starts[i];
      if (i == 0 || addr >= end)
         scope = inlined_at(p->in, node->image, addr, &end);
      add_piece(p, b, addr, scope);
   }
   free(starts);
   return known;
}

static void make_pieces(Pieces* p, uint32_t node, BlockPieces* b)
{
   const DcfgNode* n = &p->p->nodes[node];
   uint64_t        end;
   uint32_t        scope = inlined_at(p->in, n->image, n->addr, &end);

   b->first = p->n;
   if (end - n->addr < n->size) {
      if (divide(p, n, b))
         return;
      if (!p->told[n->image])
         complain("%s: some of its code cannot be decoded; it counts for the "
                  "functions that other code was inlined into",
                  image_path(&p->g, n->image));
      p->told[n->image] = true;
      if (scope != NO_SCOPE)
         scope = inlined_outer(p->in, scope);
   }
   GROW(p->all, p->n, p->room);
   p->all[p->n++] = (InlinePiece){ n->addr, n->n_instrs, scope };
   b->n = 1;
}

const InlinePiece* pieces_of(Pieces* p, uint32_t node, uint32_t* n)
{
   BlockPieces* b = &p->of[node];

   if (b->n == 0)
      make_pieces(p, node, b);
   *n = b->n;
   return &p->all[b->first];
}

uint32_t piece_first_scope(Pieces* p, uint32_t node)
{
   uint32_t n;

   return pieces_of(p, node, &n)->scope;
}

uint32_t piece_last_scope(Pieces* p, uint32_t node)
{
   uint32_t     n;
   const InlinePiece* all = pieces_of(p, node, &n);

   return all[n - 1].scope;
}
