/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes the run of a page: totals, threads, images and routines. */

/* Owns: the totals, the columns of threads, images and routines, the form of
   counts.  Handed: a graph. */

#include "cmd/view/view.h"

#include "cmd/base/own.h"

#include <inttypes.h>
#include <stdlib.h>

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
   view_count(v->out, dcfg_process_instrs(v->p, DCFG_ALL_THREADS));
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
