/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes the inlined functions of a page. */

/* Owns: the columns of functions with their inlined copies.  Handed: a
   graph, debug information by cmd/inline/. */

#include "cmd/view/view.h"

#include <inttypes.h>
#include <stdlib.h>

typedef enum {
   N_NAME, N_SOURCE, N_IMAGE, N_INSTRS, N_INLINED, N_CALLS, N_ENTRIES, N_SITES,
   N_ROW, N_COLUMNS
} InlineColumn;

static const char* source_of(const RunView* v, const FunctionSum* s,
                             uint32_t function)
{
   const char* source = inlined_source(v->inlined->in, function);

   return source[0] != 0 || s->node == DCFG_NONE ? source
          : node_source(&v->g, s->node);
}

/* Return the row with the code of the function itself; -1 if all of its code
   was inlined. */
static int64_t row_of(const RunView* v, const FunctionSum* s)
{
   uint32_t r = s->node == DCFG_NONE || s->node >= v->p->n_blocks ? DCFG_NONE
                : v->p->nodes[s->node].routine;

   return r == DCFG_NONE || v->row[r] == DCFG_NONE ? -1 : (int64_t)v->row[r];
}

static void put_function(const RunView* v, const FunctionSum* s,
                         uint32_t function, InlineColumn c)
{
   const char* text = c == N_NAME ? inlined_name(v->inlined->in, function)
                      : c == N_SOURCE ? source_of(v, s, function)
                      : image_name(&v->g, s->image);

   switch (c) {
      case N_NAME:
      case N_SOURCE:
      case N_IMAGE:   page_number(v->out, page_text(v->texts, text)); break;
      case N_INSTRS:  view_count(v->out, s->instrs); break;
      case N_INLINED: view_count(v->out, s->inlined); break;
      case N_CALLS:   view_count(v->out, s->calls); break;
      case N_ENTRIES: view_count(v->out, s->entries); break;
      case N_SITES:   page_number(v->out, s->sites); break;
      default:        fprintf(v->out, "%" PRId64, row_of(v, s));
   }
   text_forget();
}

void view_inline(const RunView* v)
{
   static const char* const columns[N_COLUMNS] = {
      "nName", "nSource", "nImage", "nInstrs", "nInlined", "nCalls",
      "nEntries", "nSites", "nRow"
   };
   Select      what = SELECT_ALL;
   Selection*  sel;
   InlineSums* sums;

   if (v->inlined == NULL)
      return;
   sel  = selection_new(&v->g, &what);
   sums = inline_sums_new(v->f, v->inlined->in, v->inlined->pieces,
                          v->inlined->selected, sel, DCFG_ALL_THREADS);
   for (InlineColumn c = 0; c < N_COLUMNS; c++) {
      bool first = true;
      page_column(v->out, columns[c]);
      for (uint32_t i = 0; i < sums->n_functions; i++) {
         const FunctionSum* s = &sums->functions[i];
         if (s->instrs == 0 && s->entries == 0 && s->sites == 0)
            continue;
         page_between(v->out, first);
         first = false;
         put_function(v, s, i, c);
      }
      putc(']', v->out);
   }
   inline_sums_free(sums);
   selection_free(sel);
}
