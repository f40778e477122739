/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes the blocks, edges and loops of a page. */

/* Owns: the columns of blocks, of edges and of loops.  Handed: a graph. */

#include "cmd/view/view.h"

#include <inttypes.h>

#define ALL DCFG_ALL_THREADS

/*--- Blocks                                               ---*/

typedef enum {
   ID, OFFSET, INSTRS, RUNS, LOOP, SOURCE, LAST, OUT, N_BLOCK_COLUMNS
} BlockColumn;

/* Return the line of the last instruction of N; 0 if it has none, or is in
   another file than the first instruction. */
static uint32_t last_line(const RunView* v, const DcfgNode* n)
{
   uint32_t a = dcfg_source_at(v->p, n->image, n->addr);
   uint32_t b = dcfg_source_at(v->p, n->image, n->addr + n->last_offset);

   return a == DCFG_NONE || b == DCFG_NONE
          || v->p->sources[a].file != v->p->sources[b].file ? 0
          : v->p->sources[b].line;
}

static void put_block(const RunView* v, uint32_t i, BlockColumn c)
{
   const DcfgNode* n = &v->p->nodes[v->blocks[i]];
   uint32_t        out;

   switch (c) {
      case ID:     page_number(v->out, n->id); break;
      case OFFSET:
         page_number(v->out, n->addr - v->p->images[n->image].load_addr);
         break;
      case INSTRS: page_number(v->out, n->n_instrs); break;
      case RUNS:
         view_count(v->out, dcfg_node_executions(v->p, v->blocks[i], ALL));
         break;
      case LOOP:
         fprintf(v->out, "%" PRId64, n->loop == DCFG_NONE ? -1
                 : (int64_t)n->loop);
         break;
      case SOURCE:
         page_number(v->out,
                     page_text(v->texts, node_source(&v->g, v->blocks[i])));
         break;
      case LAST:   page_number(v->out, last_line(v, n)); break;
      default:
         dcfg_out_edges(v->p, v->blocks[i], &out);
         page_number(v->out, out);
   }
}

/*--- Edges                                                ---*/

typedef enum { EDGE_ID, TO, TYPE, COUNT, N_EDGE_COLUMNS } EdgeColumn;

static void put_edge(const RunView* v, uint32_t i, const void* arg)
{
   const DcfgEdge* e = &v->p->edges[i];

   switch (*(const EdgeColumn*)arg) {
      case EDGE_ID: page_number(v->out, e->id); break;
      case TO:
         if (e->target >= v->p->n_blocks || v->block[e->target] == DCFG_NONE)
            fputs("-1", v->out);
         else
            page_number(v->out, v->block[e->target]);
         break;
      case TYPE:    page_number(v->out, e->type); break;
      default:      view_count(v->out, dcfg_edge_count(v->p, i, ALL));
   }
}

void view_edge_column(const RunView* v, const char* name,
                      void (*put)(const RunView* v, uint32_t edge,
                                  const void* arg), const void* arg)
{
   bool first = true;

   page_column(v->out, name);
   for (uint32_t i = 0; i < v->n_blocks; i++) {
      uint32_t        n;
      const uint32_t* out = dcfg_out_edges(v->p, v->blocks[i], &n);
      for (uint32_t k = 0; k < n; k++) {
         page_between(v->out, first);
         first = false;
         put(v, out[k], arg);
      }
   }
   putc(']', v->out);
}

static void put_edges(const RunView* v)
{
   static const char* const columns[N_EDGE_COLUMNS] = {
      "eId", "eTo", "eType", "eCount"
   };

   page_column(v->out, "types");
   for (DcfgEdgeType t = 0; t <= DCFG_EDGE_OTHER; t++) {
      page_between(v->out, t == 0);
      page_words(v->out, dcfg_edge_type_text(t));
   }
   putc(']', v->out);
   for (EdgeColumn c = 0; c < N_EDGE_COLUMNS; c++)
      view_edge_column(v, columns[c], put_edge, &c);
}

/*--- Loops                                                ---*/

typedef enum {
   HEAD, ROW, PARENT, DEPTH, LOOP_ENTRIES, ITERATIONS, LOOP_INSTRS, BLOCKS,
   N_LOOP_COLUMNS
} LoopColumn;

static void put_loop(const RunView* v, uint32_t i, LoopColumn c)
{
   const DcfgLoop* l = &v->p->loops[i];
   uint32_t        numbers[] = {
      [HEAD] = v->block[l->head],
      [ROW] = l->routine == DCFG_NONE ? DCFG_NONE : v->row[l->routine],
      [PARENT] = l->parent, [DEPTH] = l->depth, [BLOCKS] = l->n_nodes
   };

   switch (c) {
      case LOOP_ENTRIES:
         view_count(v->out, dcfg_loop_entries(v->p, i, ALL));
         break;
      case ITERATIONS:
         view_count(v->out, dcfg_loop_iterations(v->p, i, ALL));
         break;
      case LOOP_INSTRS:
         view_count(v->out, dcfg_loop_instrs(v->p, i, ALL));
         break;
      default:
         if (numbers[c] == DCFG_NONE)
            fputs("-1", v->out);
         else
            page_number(v->out, numbers[c]);
   }
}

static void put_loops(const RunView* v)
{
   static const char* const columns[N_LOOP_COLUMNS] = {
      "lHead", "lRow", "lParent", "lDepth", "lEntries", "lIterations",
      "lInstrs", "lBlocks"
   };

   for (LoopColumn c = 0; c < N_LOOP_COLUMNS; c++) {
      page_column(v->out, columns[c]);
      for (uint32_t i = 0; i < v->p->n_loops; i++) {
         page_between(v->out, i == 0);
         put_loop(v, i, c);
      }
      putc(']', v->out);
   }
}

void view_blocks(const RunView* v)
{
   static const char* const columns[N_BLOCK_COLUMNS] = {
      "bId", "bOffset", "bInstrs", "bRuns", "bLoop", "bSource",
      "bLast", "bOut"
   };

   for (BlockColumn c = 0; c < N_BLOCK_COLUMNS; c++) {
      page_column(v->out, columns[c]);
      for (uint32_t i = 0; i < v->n_blocks; i++) {
         page_between(v->out, i == 0);
         put_block(v, i, c);
         if (c == SOURCE)
            text_forget();
      }
      putc(']', v->out);
   }
   put_edges(v);
   put_loops(v);
}
