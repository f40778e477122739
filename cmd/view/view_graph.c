/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The graph in a page's data: totals, images, routines, blocks, edges and loops. */

/* Owns: the columns of a DCFG's parts, and the form of counts in all columns.
   Handed: a graph, and the rows and blocks that cmd_view.c chose. */

#include "cmd/base/own.h"
#include "cmd/view/view.h"

#include <inttypes.h>
#include <stdlib.h>

#define ALL   DCFG_ALL_THREADS
#define EXACT ((UINT64_C(1) << 53) - 1) // largest exact integer of JavaScript

void view_count(FILE* out, uint64_t n)
{
   fprintf(out, n <= EXACT ? "%" PRIu64 : "\"%" PRIu64 "\"", n);
}

void view_counts(const RunView* v, const char* name, const uint64_t* counts,
                 size_t n)
{
   page_column(v->out, name);
   for (size_t i = 0; i < n; i++) {
      page_between(v->out, i == 0);
      view_count(v->out, counts[i]);
   }
   putc(']', v->out);
}

/*--- The run, images and routines                         ---*/

static void put_threads(const RunView* v)
{
   page_column(v->out, "threads");
   for (uint32_t i = 0; i < v->p->n_threads; i++) {
      page_between(v->out, i == 0);
      view_count(v->out, dcfg_process_instrs(v->p, i));
   }
   putc(']', v->out);
}

static uint64_t image_instrs(const RunView* v, const DcfgImage* im)
{
   uint64_t n = 0;

   for (uint32_t i = 0; i < im->n_nodes; i++)
      n += dcfg_node_instrs(v->p, im->first_node + i, DCFG_ALL_THREADS);
   return n;
}

static void put_images(const RunView* v)
{
   page_column(v->out, "images");
   for (uint32_t i = 0; i < v->p->n_images; i++) {
      const DcfgImage* im = &v->p->images[i];
      page_between(v->out, i == 0);
      fputs("{\"path\":", v->out);
      page_words(v->out, image_path(&v->g, i));
      fputs(",\"name\":", v->out);
      page_words(v->out, image_name(&v->g, i));
      fputs(",\"build\":", v->out);
      page_words(v->out, im->build_id);
      fprintf(v->out, ",\"load\":\"%" PRIx64 "\",\"own\":%s,\"routines\":%"
              PRIu32 ",\"blocks\":%" PRIu32 ",\"instrs\":", im->load_addr,
              is_own_image(&v->g, i) ? "true" : "false", im->n_routines,
              im->n_nodes);
      view_count(v->out, image_instrs(v, im));
      putc('}', v->out);
      text_forget();
   }
   putc(']', v->out);
}

/* Column: the columns of routines. */
typedef enum {
   NAME, SOURCE, IMAGE, SELF, CALLS, ENTRIES, LOOPS, NODE, FIRST, FUNCTION,
   N_COLUMNS
} Column;

static void put_routine(const RunView* v, uint32_t row, Column c)
{
   uint32_t           i = v->rows[row];
   const DcfgRoutine* r = &v->p->routines[i];

   switch (c) {
      case NAME:
         page_number(v->out, page_text(v->texts, routine_name(&v->g, i)));
         break;
      case SOURCE:
         page_number(v->out, page_text(v->texts, node_source(&v->g, r->entry)));
         break;
      case IMAGE:   page_number(v->out, r->image); break;
      case SELF:
         view_count(v->out, dcfg_routine_instrs(v->p, i, DCFG_ALL_THREADS));
         break;
      case CALLS:
         view_count(v->out, dcfg_routine_calls(v->p, i, DCFG_ALL_THREADS));
         break;
      case ENTRIES:
         view_count(v->out, dcfg_routine_entries(v->p, i, DCFG_ALL_THREADS));
         break;
      case LOOPS:   page_number(v->out, r->n_loops); break;
      case NODE:    page_number(v->out, v->p->nodes[r->entry].id); break;
      case FIRST:   page_number(v->out, v->first[row]); break;
      default:
         if (r->entry >= v->p->n_blocks || v->f->of[r->entry] == NO_FUNCTION)
            fputs("-1", v->out);
         else
            page_number(v->out, v->f->of[r->entry]);
   }
}

void view_run(const RunView* v)
{
   static const char* const columns[N_COLUMNS] = {
      "rName", "rSource", "rImage", "rSelf", "rCalls", "rEntries", "rLoops",
      "rNode", "rFirst", "rFunction"
   };

   fputs("{\"program\":", v->out);
   page_words(v->out, program_name(&v->g));
   fputs(",\"file\":", v->out);
   page_words(v->out, text_clean(text_base(v->file)));
   fputs(",\"trace\":", v->out);
   page_words(v->out, v->trace == NULL ? NULL
              : text_clean(text_base(v->trace)));
   fputs(",\"log\":", v->out);
   page_words(v->out, v->log == NULL ? NULL : text_clean(text_base(v->log)));
   fputs(",\"profile\":", v->out);
   page_words(v->out, v->profile == NULL ? NULL
              : text_clean(text_base(v->profile)));
   fprintf(v->out, ",\"process\":%" PRIu64 ",\"part\":%" PRIu32
           ",\"processes\":%" PRIu32 ",\"routines\":%" PRIu32 ",\"edges\":%"
           PRIu32 ",\"nodes\":%" PRIu32 ",\"hot\":%" PRIu32 ",\"instrs\":",
           v->p->id, v->p->part == NULL ? 0 : v->p->part->number,
           v->g.d->n_processes, v->p->n_routines, v->p->n_edges,
           v->p->n_blocks, v->n_hot);
   view_count(v->out, dcfg_process_instrs(v->p, ALL));
   put_threads(v);
   put_images(v);
   for (Column c = 0; c < N_COLUMNS; c++) {
      page_column(v->out, columns[c]);
      for (uint32_t i = 0; i < v->n_rows; i++) {
         page_between(v->out, i == 0);
         put_routine(v, i, c);
         text_forget();
      }
      if (c == FIRST) {
         page_between(v->out, v->n_rows == 0);
         page_number(v->out, v->n_blocks);
      }
      putc(']', v->out);
   }
}

/*--- Blocks                                               ---*/

typedef enum {
   ID, OFFSET, INSTRS, RUNS, LOOP, BLOCK_SOURCE, LAST, OUT, N_BLOCK_COLUMNS
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
      case BLOCK_SOURCE:
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
         if (c == BLOCK_SOURCE)
            text_forget();
      }
      putc(']', v->out);
   }
   put_edges(v);
   put_loops(v);
}
