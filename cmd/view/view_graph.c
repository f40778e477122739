/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The graph in a page's data: totals, images, routines, blocks, edges and loops. */

/* Owns: the columns of a DCFG's parts, and the form of counts in all columns.
   Handed: a graph, and the rows and blocks that cmd_view.c chose. */

#include "cmd/base/keymap.h"
#include "cmd/base/names.h"
#include "cmd/calls/called.h"
#include "cmd/view/view.h"

#define ALL   DCFG_ALL_THREADS
#define EXACT ((UINT64_C(1) << 53) - 1) // largest exact integer of JavaScript

void view_count(FILE* out, uint64_t n)
{
   fprintf(out, n <= EXACT ? "%" PRIu64 : "\"%" PRIu64 "\"", n);
}

void view_counts(const RunView* view, const char* name, const uint64_t* counts,
                 size_t n)
{
   page_column(view->out, name);
   for (size_t i = 0; i < n; i++) {
      page_between(view->out, i == 0);
      view_count(view->out, counts[i]);
   }
   putc(']', view->out);
}

/*--- The run, images and routines                         ---*/

static void put_threads(const RunView* view)
{
   page_column(view->out, "threads");
   for (uint32_t i = 0; i < view->p->n_threads; i++) {
      page_between(view->out, i == 0);
      view_count(view->out, dcfg_process_instrs(view->p, i));
   }
   putc(']', view->out);
}

static uint64_t image_instrs(const RunView* view, const DcfgImage* im)
{
   uint64_t n = 0;

   for (uint32_t i = 0; i < im->n_nodes; i++)
      n += dcfg_node_instrs(view->p, im->first_node + i, DCFG_ALL_THREADS);
   return n;
}

static void put_images(const RunView* view)
{
   page_column(view->out, "images");
   for (uint32_t i = 0; i < view->p->n_images; i++) {
      const DcfgImage* im = &view->p->images[i];
      page_between(view->out, i == 0);
      page_member(view->out, "{\"path\":", image_path(&view->g, i));
      page_member(view->out, ",\"name\":", image_name(&view->g, i));
      page_member(view->out, ",\"build\":", im->build_id);
      fprintf(view->out, ",\"load\":\"%" PRIx64 "\",\"own\":%s,\"routines\":%"
              PRIu32 ",\"blocks\":%" PRIu32 ",\"instrs\":", im->load_addr,
              is_own_image(&view->g, i) ? "true" : "false", im->n_routines,
              im->n_nodes);
      view_count(view->out, image_instrs(view, im));
      putc('}', view->out);
      text_forget();
   }
   putc(']', view->out);
}

/* Column: the columns of routines. */
typedef enum {
   NAME, SOURCE, IMAGE, SELF, CALLS, ENTRIES, LOOPS, NODE, FIRST, FUNCTION,
   N_COLUMNS
} Column;

static void put_routine(const RunView* view, uint32_t row, Column c)
{
   uint32_t           i = view->rows[row];
   const DcfgRoutine* r = &view->p->routines[i];

   switch (c) {
      case NAME:
         page_number(view->out,
                     page_text(view->texts, routine_name(&view->g, i)));
         break;
      case SOURCE:
         page_number(view->out,
                     page_text(view->texts, node_source(&view->g, r->entry)));
         break;
      case IMAGE:   page_number(view->out, r->image); break;
      case SELF:
         view_count(view->out,
                    dcfg_routine_instrs(view->p, i, DCFG_ALL_THREADS));
         break;
      case CALLS:
         view_count(view->out,
                    dcfg_routine_calls(view->p, i, DCFG_ALL_THREADS));
         break;
      case ENTRIES:
         view_count(view->out,
                    dcfg_routine_entries(view->p, i, DCFG_ALL_THREADS));
         break;
      case LOOPS:   page_number(view->out, r->n_loops); break;
      case NODE:    page_number(view->out, view->p->nodes[r->entry].id); break;
      case FIRST:   page_number(view->out, view->first[row]); break;
      default:
         if (r->entry >= view->p->n_blocks
             || view->f->of[r->entry] == NO_FUNCTION)
            fputs("-1", view->out);
         else
            page_number(view->out, view->f->of[r->entry]);
   }
}

/* Write the name of the file at PATH, which may be NULL. */
static void put_file(const RunView* view, const char* before, const char* path)
{
   page_member(view->out, before,
               path == NULL ? NULL : text_clean(text_base(path)));
}

void view_run(const RunView* view)
{
   static const char* const columns[N_COLUMNS] = {
      "rName", "rSource", "rImage", "rSelf", "rCalls", "rEntries", "rLoops",
      "rNode", "rFirst", "rFunction"
   };

   page_member(view->out, "{\"program\":", program_name(&view->g));
   if (run_command(view->p) != NULL) {
      page_member(view->out, ",\"command\":", run_command(view->p));
      page_member(view->out, ",\"surroundings\":",
                  run_surroundings(view->p->runs));
   }
   put_file(view, ",\"file\":", view->file);
   put_file(view, ",\"trace\":", view->trace);
   put_file(view, ",\"log\":", view->log);
   put_file(view, ",\"profile\":", view->profile);
   fprintf(view->out, ",\"process\":%" PRIu64 ",\"part\":%" PRIu32
           ",\"processes\":%" PRIu32 ",\"routines\":%" PRIu32 ",\"edges\":%"
           PRIu32 ",\"nodes\":%" PRIu32 ",\"hot\":%" PRIu32 ",\"instrs\":",
           view->p->id, view->p->part == NULL ? 0 : view->p->part->number,
           view->g.d->n_processes, view->p->n_routines, view->p->n_edges,
           view->p->n_blocks, view->n_hot);
   view_count(view->out, dcfg_process_instrs(view->p, ALL));
   put_threads(view);
   put_images(view);
   for (Column c = 0; c < N_COLUMNS; c++) {
      page_column(view->out, columns[c]);
      for (uint32_t i = 0; i < view->n_rows; i++) {
         page_between(view->out, i == 0);
         put_routine(view, i, c);
         text_forget();
      }
      if (c == FIRST) {
         page_between(view->out, view->n_rows == 0);
         page_number(view->out, view->n_blocks);
      }
      putc(']', view->out);
   }
}

/*--- Short names                                          ---*/

#define SHORT 32                // columns of a short name

/* Add NAME to the set of NAMES, numbers of texts. */
static void add_name(const RunView* view, KeyMap* names, const char* name)
{
   keymap_number(names, page_text(view->texts, name));
   text_forget();
}

void view_names(const RunView* view)
{
   KeyMap*      names = keymap_new();
   LongName*    all;
   const char** briefs;
   uint32_t     n;
   bool         first = true;

   for (uint32_t i = 0; i < view->n_rows; i++)
      add_name(view, names, routine_name(&view->g, view->rows[i]));
   for (uint32_t i = 0; i < view->f->n; i++)
      add_name(view, names, function_name(view->f, i));
   for (uint32_t i = 0; view->recorded && i < view->p->calls->n_functions; i++)
      add_name(view, names, called_name(&view->g, i));
   n   = keymap_size(names);
   all = zalloc(n + (size_t)1, sizeof(*all));
   for (uint32_t i = 0; i < n; i++)
      all[i].text = page_text_of(view->texts,
                                 (uint32_t)keymap_key(names, i));
   briefs = short_names(all, n, SHORT);
   page_column(view->out, "shorts");
   for (uint32_t i = 0; i < n; i++)
      if (strcmp(briefs[i], all[i].text) != 0) {
         page_between(view->out, first);
         fprintf(view->out, "%" PRIu64 ",%" PRIu32, keymap_key(names, i),
                 page_text(view->texts, briefs[i]));
         first = false;
      }
   putc(']', view->out);
   text_forget();
   FREE_ALL(briefs, all);
   keymap_free(names);
}

/*--- Blocks                                               ---*/

typedef enum {
   ID, OFFSET, INSTRS, RUNS, LOOP, BLOCK_SOURCE, LAST, OUT, N_BLOCK_COLUMNS
} BlockColumn;

/* Return the line of the last instruction of N; 0 if it has none, or is in
   another file than the first instruction. */
static uint32_t last_line(const RunView* view, const DcfgNode* n)
{
   uint32_t a = dcfg_source_at(view->p, n->image, n->addr);
   uint32_t b = dcfg_source_at(view->p, n->image, n->addr + n->last_offset);

   return a == DCFG_NONE || b == DCFG_NONE
          || view->p->sources[a].file != view->p->sources[b].file ? 0
          : view->p->sources[b].line;
}

static void put_block(const RunView* view, uint32_t i, BlockColumn c)
{
   const DcfgNode* n = &view->p->nodes[view->blocks[i]];
   uint32_t        out;

   switch (c) {
      case ID:     page_number(view->out, n->id); break;
      case OFFSET:
         page_number(view->out, n->addr - view->p->images[n->image].load_addr);
         break;
      case INSTRS: page_number(view->out, n->n_instrs); break;
      case RUNS:
         view_count(view->out,
                    dcfg_node_executions(view->p, view->blocks[i], ALL));
         break;
      case LOOP:
         fprintf(view->out, "%" PRId64, n->loop == DCFG_NONE ? -1
                 : (int64_t)n->loop);
         break;
      case BLOCK_SOURCE:
         page_number(view->out,
                     page_text(view->texts,
                               node_source(&view->g, view->blocks[i])));
         break;
      case LAST:   page_number(view->out, last_line(view, n)); break;
      default:
         dcfg_out_edges(view->p, view->blocks[i], &out);
         page_number(view->out, out);
   }
}

/*--- Edges                                                ---*/

typedef enum { EDGE_ID, TO, TYPE, COUNT, N_EDGE_COLUMNS } EdgeColumn;

static void put_edge(const RunView* view, uint32_t i, const void* arg)
{
   const DcfgEdge* e = &view->p->edges[i];

   switch (*(const EdgeColumn*)arg) {
      case EDGE_ID: page_number(view->out, e->id); break;
      case TO:
         if (e->target >= view->p->n_blocks
             || view->block[e->target] == DCFG_NONE)
            fputs("-1", view->out);
         else
            page_number(view->out, view->block[e->target]);
         break;
      case TYPE:    page_number(view->out, e->type); break;
      default:      view_count(view->out, dcfg_edge_count(view->p, i, ALL));
   }
}

void view_edge_column(const RunView* view, const char* name,
                      void (*put)(const RunView* view, uint32_t edge,
                                  const void* arg), const void* arg)
{
   bool first = true;

   page_column(view->out, name);
   for (uint32_t i = 0; i < view->n_blocks; i++) {
      uint32_t        n;
      const uint32_t* out = dcfg_out_edges(view->p, view->blocks[i], &n);
      for (uint32_t k = 0; k < n; k++) {
         page_between(view->out, first);
         first = false;
         put(view, out[k], arg);
      }
   }
   putc(']', view->out);
}

static void put_edges(const RunView* view)
{
   static const char* const columns[N_EDGE_COLUMNS] = {
      "eId", "eTo", "eType", "eCount"
   };

   page_column(view->out, "types");
   for (DcfgEdgeType t = 0; t <= DCFG_EDGE_OTHER; t++) {
      page_between(view->out, t == 0);
      page_words(view->out, dcfg_edge_type_text(t));
   }
   putc(']', view->out);
   for (EdgeColumn c = 0; c < N_EDGE_COLUMNS; c++)
      view_edge_column(view, columns[c], put_edge, &c);
}

/*--- Loops                                                ---*/

typedef enum {
   HEAD, ROW, PARENT, DEPTH, LOOP_ENTRIES, ITERATIONS, LOOP_INSTRS, BLOCKS,
   N_LOOP_COLUMNS
} LoopColumn;

static void put_loop(const RunView* view, uint32_t i, LoopColumn c)
{
   const DcfgLoop* l = &view->p->loops[i];
   uint32_t        numbers[] = {
      [HEAD] = view->block[l->head],
      [ROW] = l->routine == DCFG_NONE ? DCFG_NONE : view->row[l->routine],
      [PARENT] = l->parent, [DEPTH] = l->depth, [BLOCKS] = l->n_nodes
   };

   switch (c) {
      case LOOP_ENTRIES:
         view_count(view->out, dcfg_loop_entries(view->p, i, ALL));
         break;
      case ITERATIONS:
         view_count(view->out, dcfg_loop_iterations(view->p, i, ALL));
         break;
      case LOOP_INSTRS:
         view_count(view->out, dcfg_loop_instrs(view->p, i, ALL));
         break;
      default:
         if (numbers[c] == DCFG_NONE)
            fputs("-1", view->out);
         else
            page_number(view->out, numbers[c]);
   }
}

static void put_loops(const RunView* view)
{
   static const char* const columns[N_LOOP_COLUMNS] = {
      "lHead", "lRow", "lParent", "lDepth", "lEntries", "lIterations",
      "lInstrs", "lBlocks"
   };

   for (LoopColumn c = 0; c < N_LOOP_COLUMNS; c++) {
      page_column(view->out, columns[c]);
      for (uint32_t i = 0; i < view->p->n_loops; i++) {
         page_between(view->out, i == 0);
         put_loop(view, i, c);
      }
      putc(']', view->out);
   }
}

void view_blocks(const RunView* view)
{
   static const char* const columns[N_BLOCK_COLUMNS] = {
      "bId", "bOffset", "bInstrs", "bRuns", "bLoop", "bSource",
      "bLast", "bOut"
   };

   for (BlockColumn c = 0; c < N_BLOCK_COLUMNS; c++) {
      page_column(view->out, columns[c]);
      for (uint32_t i = 0; i < view->n_blocks; i++) {
         page_between(view->out, i == 0);
         put_block(view, i, c);
         if (c == BLOCK_SOURCE)
            text_forget();
      }
      putc(']', view->out);
   }
   put_edges(view);
   put_loops(view);
}
