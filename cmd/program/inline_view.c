/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Counts of functions that were inlined. */

/* Owns: the pieces of blocks, the meaning of --function for inlined
   functions, the definition of an entry, sums by function of the source and
   by scope.  Handed: a process, scopes by inlined.c, the command line's
   selection.

   A piece is a part of a block with one innermost scope.  An entry is:

   - An instance with DW_AT_entry_pc, which gcc writes, is entered once for
   each execution of that instruction, wherever scheduling has put it.

   - Another instance, as clang writes them, is entered by each flow of
   control from an instruction outside it to one inside.

   - A call of a function enters all instances that have its first
   instruction, even if the function calls itself.  After a return, a
   longjmp() or a system call, control comes from the instruction before its
   target.  A landing pad and the end of a signal handler enter nothing.

   - A part that the compiler split off a function, and then inlined into the
   rest of it, is not entered. */

#include "cmd/program/inline_view.h"

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
   FREE_ALL(p->of, p->all, p->told, p);
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

/* Return the scope of the block's first instruction. */
static uint32_t piece_first_scope(Pieces* p, uint32_t node)
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

struct PieceSelection {
   Inlined*         in;
   const Selection* sel;        // whole blocks, and blocks with selected pieces
   bool*            whole;      // by block; NULL: all of SEL are whole
   KeyMap*          seen;       // keys: scopes that were tested
   bool*            has_name;   // by number in .seen
   size_t           n, room;
   const char*      name;       // the function's
};

/* Return whether SCOPE is in an instance of the function. */
static bool is_in_function(PieceSelection* ps, uint32_t scope)
{
   uint32_t parent, number;
   bool     is;

   if (scope == NO_SCOPE
       || (parent = inlined_parent(ps->in, scope)) == NO_SCOPE)
      return false;
   number = keymap_find(ps->seen, scope);
   if (number != UINT32_MAX)
      return ps->has_name[number];
   is = is_in_function(ps, parent)
        || function_is(inlined_function_info(
                          ps->in, inlined_function(ps->in, scope))->name,
                       ps->name);
   text_forget();
   keymap_number(ps->seen, scope);
   GROW(ps->has_name, ps->n, ps->room);
   ps->has_name[ps->n++] = is;
   return is;
}

/* Make the selection of S, which has .inlined.  SEL has the whole blocks that S
   selects, gets those of which S selects only pieces, and must outlive the
   result. */
static PieceSelection* piece_selection_new(const Program* g, Inlined* in,
                                    Pieces* pieces, const Select* s,
                                    Selection* sel)
{
   PieceSelection* ps = zalloc(1, sizeof(*ps));
   Select          others = *s;
   Selection*      rest;

   ps->in   = in;
   ps->sel  = sel;
   ps->name = s->function;
   if (s->function == NULL)
      return ps;
   others.function = NULL;
   others.quiet    = true;
   rest      = selection_new(g, &others);
   ps->seen  = keymap_new();
   ps->whole = zalloc(g->p->n_blocks, sizeof(*ps->whole));
   for (uint32_t i = 0; i < g->p->n_blocks; i++) {
      uint32_t     n;
      const InlinePiece* all;
      ps->whole[i] = is_selected(sel, i);
      if (ps->whole[i] || !is_selected(rest, i))
         continue;
      all = pieces_of(pieces, i, &n);
      for (uint32_t k = 0; k < n; k++)
         if (is_in_function(ps, all[k].scope)) {
            select_node(sel, i);
            break;
         }
   }
   selection_free(rest);
   if (!is_found(sel) && !s->quiet)
      say_unfound(g, s);
   return ps;
}

static void piece_selection_free(PieceSelection* ps)
{
   if (ps == NULL)
      return;
   free(ps->whole);
   keymap_free(ps->seen);
   FREE_ALL(ps->has_name, ps);
}

bool piece_selected(const PieceSelection* ps, uint32_t node,
                    const InlinePiece* piece)
{
   return is_selected(ps->sel, node)
          && (ps->whole == NULL || ps->whole[node]
              || is_in_function((PieceSelection*)ps, piece->scope));
}

typedef
   struct {
      const Functions*   f;
      const DcfgProcess* p;
      Inlined*           in;            // .in of .pieces
      Pieces*            pieces;
      uint32_t           thread;
      uint64_t*          entries;       // by scope
      bool*              behind_call;   // by block: a call or a system call may
                                        // return to it
      uint32_t           n;             // number of scopes for which .entries
                                        // has room
   }
   Counting;

/*--- Flows                                                ---*/

/* COUNT flows go from code of scope FROM to code of scope TO: enter the scopes
   around TO that are not around FROM. */
static void flow(Counting* c, uint32_t from, uint32_t to, uint64_t count)
{
   uint32_t common;

   if (from == to || to == NO_SCOPE || count == 0)
      return;
   common = inlined_common(c->in, from, to);
   for (; to != common && to != NO_SCOPE; to = inlined_parent(c->in, to))
      c->entries[to] = capped_sum(c->entries[to], count);
}

/* Return whether NODE begins with the first instruction of the function around
   TO. */
static bool is_beginning(const Counting* c, uint32_t node, uint32_t to)
{
   return inlined_entry(c->in, inlined_outer(c->in, to))
          == c->p->nodes[node].addr;
}

static bool* find_behind_calls(const DcfgProcess* p)
{
   bool* found = zalloc(p->n_blocks, sizeof(*found));

   for (uint32_t i = 0; i < p->n_edges; i++)
      if (p->edges[i].target < p->n_blocks
          && (p->edges[i].type == DCFG_EDGE_CALL_BYPASS
              || p->edges[i].type == DCFG_EDGE_SYSTEM_CALL_BYPASS))
         found[p->edges[i].target] = true;
   return found;
}

/* Return the scope of the instruction before NODE. */
static uint32_t scope_before(const Counting* c, uint32_t node)
{
   const DcfgNode* n = &c->p->nodes[node];
   uint64_t        end;

   return inlined_at(c->in, n->image, n->addr - 1, &end);
}

static bool is_other_function(const Counting* c, const DcfgEdge* e)
{
   return e->source >= c->p->n_blocks
          || c->f->of[e->source] != c->f->of[e->target];
}

/* Set FROM to the scope from which the flow of E, to scope TO, comes.  Return
   false if the flow enters nothing. */
static bool find_source(Counting* c, const DcfgEdge* e, uint32_t to,
                        uint32_t* from)
{
   bool begins = is_beginning(c, e->target, to);

   *from = NO_SCOPE;
   switch (e->type) {
      case DCFG_EDGE_CALL_BYPASS:
      case DCFG_EDGE_CONTEXT_CHANGE_BYPASS:
      case DCFG_EDGE_CONTEXT_CHANGE_RETURN:
         return false;
      case DCFG_EDGE_ENTRY:
      case DCFG_EDGE_CONTEXT_CHANGE:
         return begins;
      case DCFG_EDGE_SYSTEM_CALL_BYPASS:
      case DCFG_EDGE_SYSTEM_RETURN:
         *from = scope_before(c, e->target);
         return true;
      case DCFG_EDGE_CALL:
      case DCFG_EDGE_DIRECT_CALL:
      case DCFG_EDGE_INDIRECT_CALL:
         if (begins)
            return true;
         break;
      case DCFG_EDGE_RETURN:
         if (begins)
            return true;
         *from = scope_before(c, e->target);
         return c->behind_call[e->target];
      case DCFG_EDGE_BRANCH:
      case DCFG_EDGE_INDIRECT_BRANCH:
      case DCFG_EDGE_UNCONDITIONAL_BRANCH:
      case DCFG_EDGE_INDIRECT_UNCONDITIONAL_BRANCH:
         if (begins || !is_other_function(c, e))
            break;
         *from = scope_before(c, e->target);
         return c->behind_call[e->target];
      default:
         break;
   }
   if (e->source < c->p->n_blocks
       && inlined_is_read(c->in, c->p->nodes[e->source].image))
      *from = piece_last_scope(c->pieces, e->source);
   return true;
}

static void count_edge(Counting* c, uint32_t edge)
{
   const DcfgEdge* e = &c->p->edges[edge];
   uint64_t        count = dcfg_edge_count(c->p, edge, c->thread);
   uint32_t        from, to;

   if (count == 0 || e->target >= c->p->n_blocks)
      return;
   to = piece_first_scope(c->pieces, e->target);
   if (to < c->n && inlined_parent(c->in, to) != NO_SCOPE
       && find_source(c, e, to, &from))
      flow(c, from, to, count);
}

static void count_block(Counting* c, uint32_t node)
{
   uint32_t     n;
   const InlinePiece* all = pieces_of(c->pieces, node, &n);
   uint64_t     count = dcfg_node_executions(c->p, node, c->thread);

   for (uint32_t i = 1; i < n; i++)
      flow(c, all[i - 1].scope, all[i].scope, count);
}

/*--- Instructions                                         ---*/

#define MOST_NODES 16           // nodes that may share an instruction

/* Return how often the instruction at ADDR in IMAGE was executed. */
static uint64_t executions_at(const DcfgProcess* p, uint32_t thread,
                              uint32_t image, uint64_t addr)
{
   uint32_t nodes[MOST_NODES];
   uint32_t n = dcfg_nodes_at(p, addr, nodes, MOST_NODES);
   uint64_t sum = 0;

   for (uint32_t i = 0; i < n && i < MOST_NODES; i++)
      if (p->nodes[nodes[i]].image == image)
         sum = capped_sum(sum, dcfg_node_executions(p, nodes[i], thread));
   return sum;
}

/*--- Parts of functions                                   ---*/

bool is_part_of_parent(Inlined* in, uint32_t scope)
{
   uint32_t parent = inlined_parent(in, scope);
   uint32_t function;

   if (parent == NO_SCOPE)
      return false;
   function = inlined_function(in, scope);
   return inlined_function(in, parent) == function
          && inlined_function_info(in, function)->line != 0
          && inlined_function_info(in, function)->line
             == inlined_call_line(in, scope);
}

/* Return whether NODE begins a part that the compiler split off. */
static bool is_split_part(const DcfgProcess* p, uint32_t node)
{
   uint32_t symbol = dcfg_symbol_of(p, node);

   return symbol != DCFG_NONE
          && strstr(p->symbols[symbol].name, ".part.") != NULL;
}

/* Return whether a call at the end of block NODE is in code of FUNCTION. */
static bool is_within(Pieces* pieces, uint32_t node, uint32_t function)
{
   uint32_t scope = piece_last_scope(pieces, node);

   for (; scope != NO_SCOPE; scope = inlined_parent(pieces->in, scope))
      if (inlined_function(pieces->in, scope) == function)
         return true;
   return false;
}

uint64_t count_calls(const Functions* f, Pieces* pieces, uint32_t node,
                     uint32_t function, uint32_t thread)
{
   const DcfgProcess* p = f->g.p;
   uint32_t           routine = dcfg_routine_by_entry(p, node);
   uint64_t           calls = dcfg_routine_calls(p, routine, thread);
   uint32_t           n;
   const uint32_t*    edges = dcfg_in_edges(p, node, &n);

   if (!is_split_part(p, node))
      return calls;
   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &p->edges[edges[i]];
      uint64_t        count = dcfg_edge_count(p, edges[i], thread);
      if (dcfg_is_return(e->type) || dcfg_is_bypass(e->type)
          || e->source >= p->n_blocks || p->nodes[e->source].routine == routine
          || !is_within(pieces, e->source, function))
         continue;
      calls -= count < calls ? count : calls;
   }
   return calls;
}

/*--- The whole                                            ---*/

uint64_t* count_flows(const Functions* f, Pieces* pieces, uint32_t thread)
{
   const DcfgProcess* p = f->g.p;
   Inlined*           in = pieces->in;
   uint32_t           n = inlined_scopes(in);
   Counting           c = { f, p, in, pieces, thread,
                            zalloc(n, sizeof(uint64_t)),
                            find_behind_calls(p), n };

   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (inlined_is_read(in, p->nodes[i].image))
         count_block(&c, i);
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const DcfgEdge* e = &p->edges[i];
      if (e->target < p->n_blocks
          && inlined_is_read(in, p->nodes[e->target].image))
         count_edge(&c, i);
   }
   for (uint32_t i = 0; i < n; i++)
      if (inlined_parent(in, i) == NO_SCOPE || is_part_of_parent(in, i))
         c.entries[i] = 0;
   free(c.behind_call);
   return c.entries;
}

uint64_t* count_entries(const Functions* f, Pieces* pieces, uint32_t thread)
{
   Inlined*  in = pieces->in;
   uint64_t* entries = count_flows(f, pieces, thread);

   for (uint32_t i = 0; i < inlined_scopes(in); i++)
      if (inlined_parent(in, i) != NO_SCOPE && !is_part_of_parent(in, i)
          && inlined_entry(in, i) != NO_ADDR)
         entries[i] = executions_at(f->g.p, thread, inlined_image(in, i),
                                    inlined_entry(in, i));
   return entries;
}

typedef
   struct {
      const Functions* f;
      InlineView       v;
      const Selection* blocks;
      uint32_t         thread;
      InlineSums*      s;
      uint32_t         room;            // in .functions
   }
   Summing;

/*--- Functions                                            ---*/

static uint32_t function_without_scope(const Functions* f, Inlined* in,
                                       uint32_t node)
{
   uint32_t function = f->of[node];
   uint32_t s = function == NO_FUNCTION ? DCFG_NONE
                : function_symbol(f, function);

   return inlined_function_named(in, f->g.p->nodes[node].image,
                                 s != DCFG_NONE ? f->g.p->symbols[s].name
                                 : function == NO_FUNCTION
                                   ? node_name(&f->g, node)
                                   : function_name(f, function));
}

uint32_t source_function(const Functions* f, Pieces* pieces, uint32_t node)
{
   uint32_t scope = piece_first_scope(pieces, node);

   return scope == NO_SCOPE ? function_without_scope(f, pieces->in, node)
          : inlined_function(pieces->in, inlined_outer(pieces->in, scope));
}

static FunctionSum* sum_of(Summing* m, uint32_t function)
{
   InlineSums* s = m->s;

   while (s->n_functions <= function) {
      GROW(s->functions, s->n_functions, m->room);
      s->functions[s->n_functions++] = (FunctionSum){ .image = DCFG_NONE,
                                                      .node = DCFG_NONE };
   }
   return &s->functions[function];
}

/*--- Counts                                               ---*/

/* Add the pieces of block NODE that have a scope, or those that have none. */
static void add_block(Summing* m, uint32_t node, bool scopes)
{
   const DcfgProcess* p = m->f->g.p;
   uint64_t           times = dcfg_node_executions(p, node, m->thread);
   uint32_t           n, scope;
   FunctionSum*       f;

   if (times == 0 || !is_selected(m->blocks, node))
      return;
   pieces_of(m->v.pieces, node, &n);
   for (uint32_t i = 0; i < n; i++) {
      const InlinePiece piece = pieces_of(m->v.pieces, node, &n)[i];
      uint64_t          instrs = capped_product(times, piece.n_instrs);
      scope = piece.scope;
      if ((scope != NO_SCOPE) != scopes
          || !piece_selected(m->v.selected, node, &piece))
         continue;
      if (scopes)
         add_count(&m->s->scopes[scope].instrs, instrs);
      f = sum_of(m, scopes ? inlined_function(m->v.in, scope)
                    : function_without_scope(m->f, m->v.in, node));
      add_count(&f->instrs, instrs);
      f->image   = p->nodes[node].image;
      if (scopes && inlined_parent(m->v.in, scope) != NO_SCOPE)
         add_count(&f->inlined, instrs);
   }
}

static void add_calls(Summing* m, uint32_t node)
{
   const DcfgProcess* p = m->f->g.p;
   uint32_t           function = m->f->of[node], of;
   FunctionSum*       f;

   if (!is_selected(m->blocks, node)
       || dcfg_node_executions(p, node, m->thread) == 0)
      return;
   of = source_function(m->f, m->v.pieces, node);
   f  = sum_of(m, of);
   if (function == NO_FUNCTION || !m->f->begins[node]) {
      f->node = f->node == DCFG_NONE ? node : f->node;
      return;
   }
   f->node  = node;
   f->image = p->nodes[node].image;
   add_count(&f->calls, count_calls(m->f, m->v.pieces, node, of, m->thread));
}

/* Return whether the entry instruction of an instance is selected.  All of the
   instance's pieces may be elsewhere. */
static bool entry_selected(const Summing* m, uint32_t scope)
{
   uint64_t entry = inlined_entry(m->v.in, scope);

   return entry != NO_ADDR
          && is_selected(m->blocks, image_node_at(m->f->g.p,
                                                   inlined_image(m->v.in, scope),
                                                   entry));
}

static void add_scopes(Summing* m, const uint64_t* entries)
{
   InlineSums* s = m->s;

   for (uint32_t i = s->n_scopes; i-- > 0; ) {
      uint32_t     parent = inlined_parent(m->v.in, i);
      ScopeSum*    sum = &s->scopes[i];
      FunctionSum* f;
      add_count(&sum->inclusive, sum->instrs);
      if (parent == NO_SCOPE)
         continue;
      add_count(&s->scopes[parent].inclusive, sum->inclusive);
      if (sum->inclusive > 0 || (entries[i] > 0 && entry_selected(m, i)))
         sum->entries = entries[i];
      if (!is_executed_site(m->v.in, s, i))
         continue;
      f = sum_of(m, inlined_function(m->v.in, i));
      add_count(&f->entries, sum->entries);
      f->sites++;
      if (f->image == DCFG_NONE)
         f->image = inlined_image(m->v.in, i);
      text_forget();
   }
}

bool is_executed_site(const Inlined* in, const InlineSums* s, uint32_t scope)
{
   return inlined_parent(in, scope) != NO_SCOPE
          && (s->scopes[scope].inclusive > 0
              || s->scopes[scope].entries > 0);
}

/*--- The whole                                            ---*/

InlineSums* inline_sums_new(const Functions* f, const InlineView* v,
                            const Selection* blocks, uint32_t thread)
{
   InlineSums* s = zalloc(1, sizeof(*s));
   Summing     m = { f, *v, blocks, thread, s, 0 };
   uint32_t    n = f->g.p->n_blocks, k;
   uint64_t*   entries;

   /* Read all images before counting: scopes are numbered as they are read. */
   for (uint32_t i = 0; i < n; i++)
      if (is_selected(blocks, i)
          && dcfg_node_executions(f->g.p, i, thread) > 0)
         pieces_of(v->pieces, i, &k);
   s->n_scopes = inlined_scopes(v->in);
   s->scopes   = zalloc(s->n_scopes, sizeof(*s->scopes));
   for (int scopes = 1; scopes >= 0; scopes--)
      for (uint32_t i = 0; i < n; i++) {
         add_block(&m, i, scopes == 1);
         if (i % 256 == 0)
            text_forget();
      }
   for (uint32_t i = 0; i < n; i++) {
      add_calls(&m, i);
      if (i % 256 == 0)
         text_forget();
   }
   entries = count_entries(f, v->pieces, thread);
   add_scopes(&m, entries);
   free(entries);
   return s;
}

void inline_sums_free(InlineSums* s)
{
   if (s == NULL)
      return;
   FREE_ALL(s->functions, s->scopes, s);
}

InlineView* inline_view_new(const Program* g, const Select* s, Selection* sel,
                            const char* root)
{
   InlineView* v = zalloc(1, sizeof(*v));

   v->in       = inlined_new(g, root, false, false);
   v->pieces   = pieces_new(g, v->in);
   v->selected = piece_selection_new(g, v->in, v->pieces, s, sel);
   return v;
}

bool inline_view_has(InlineView* v, const Program* g,
                     const Selection* blocks, const char* name)
{
   uint32_t n;
   bool     found = false;

   for (uint32_t i = 0; i < g->p->n_blocks; i++)
      if (is_selected(blocks, i)
          && dcfg_node_executions(g->p, i, DCFG_ALL_THREADS) > 0)
         pieces_of(v->pieces, i, &n);
   for (uint32_t i = 0; i < inlined_scopes(v->in) && !found; i++) {
      found = inlined_parent(v->in, i) != NO_SCOPE
              && function_is(inlined_function_info(
                                v->in, inlined_function(v->in, i))->name,
                             name);
      text_forget();
   }
   return found;
}

void inline_view_free(InlineView* v)
{
   if (v == NULL)
      return;
   piece_selection_free(v->selected);
   pieces_free(v->pieces);
   inlined_free(v->in);
   free(v);
}
