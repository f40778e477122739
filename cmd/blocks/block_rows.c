/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables of blocks. */

/* Owns: the form of tables of blocks, and the choice of edges.  Handed:
   tables by cmd_blocks.c.

   Other programs compare text and its order byte by byte, so it does not tell
   where the blocks come from. */

#include "cmd/blocks/block_rows.h"

#include "cmd/shared/dot_style.h"
#include "cmd/base/format.h"
#include "cmd/base/sums.h"

#include <inttypes.h>
#include <string.h>

/*--- Shares                                               ---*/

Percent percent_value(const char* name, const char* value)
{
   Percent p = { 0, 1 };
   bool    point = false, digit = false;

   for (const char* s = value; *s != 0; s++) {
      if (*s == '.' && !point) {
         point = true;
      } else if (*s >= '0' && *s <= '9' && p.scale < 1000000
                 && p.number < 1000000000) {
         p.number = 10 * p.number + (uint64_t)(*s - '0');
         p.scale *= point ? 10 : 1;
         digit = true;
      } else {
         digit = false;
         break;
      }
   }
   if (!digit || p.number > 100 * p.scale)
      die("--%s needs a percentage, not `%s'", name, value);
   return p;
}

bool is_less(uint64_t part, uint64_t whole, Percent p)
{
   __extension__ typedef unsigned __int128 Wide;

   return (Wide)part * 100 * p.scale < (Wide)whole * p.number;
}

/* Return the number of a block's edges to print.  The others, which are less
   frequent, are behind them; *REST is their sum. */
static uint32_t edges_told(const RowStyle* style, const DcfgBlockTable* t,
                           const DcfgStreamBlock* b, uint64_t* rest)
{
   const DcfgStreamEdge* e = t->edges + b->first_edge;
   uint32_t              n = b->n_edges;

   *rest = 0;
   if (style->all || n <= 2)
      return n;
   while (n > 0 && is_less(e[n - 1].count, b->departures, style->threshold))
      add_count(rest, e[--n].count);
   return n;
}

/*--- Text and CSV                                         ---*/

static const char* const kinds[] = { "NB", "UB", "CB", "IJ" };

const char* form_extension(RowForm form)
{
   static const char* const extensions[] = { "", ".csv", ".json", ".dot" };

   return extensions[form];
}

static void print_edges(const RowStyle* style, const DcfgBlockTable* t,
                        const DcfgStreamBlock* b)
{
   const DcfgStreamEdge* e = t->edges + b->first_edge;
   uint64_t              rest;
   uint32_t              n = edges_told(style, t, b, &rest);

   for (uint32_t i = 0; i < n; i++)
      fprintf(style->out, "%s%" PRIu32 ":%" PRIu64 "%s", i > 0 ? " " : "",
              e[i].target + 1, e[i].count, e[i].falls ? "(ft)" : "");
   if (n < b->n_edges)
      fprintf(style->out, "%s..%" PRIu32 ":%" PRIu64, n > 0 ? " " : "",
              b->n_edges - n, rest);
}

static void print_comment(FILE* out, bool is_static)
{
   fprintf(out, is_static
      ? "# Static basic blocks: every instruction that was executed is in one "
        "of them.\n"
      : "# Dynamic basic blocks: each goes on from its first instruction to "
        "one that jumps.\n");
   fputs("# START, END: addresses of the first and the last instruction; "
         "INSTRS: how many there are;\n"
         "# COUNT: executions; KIND of the end: NB fell through, UB went to "
         "one other place,\n"
         "# CB did one or the other, IJ all else; EDGES to the blocks executed "
         "next, ID:COUNT,\n"
         "# (ft) for falling through, ..N:COUNT for N rare ones together.\n"
         "# ID\tSTART\tEND\tINSTRS\tCOUNT\tKIND\tEDGES\n", out);
}

static void print_rows(const RowStyle* style, const DcfgBlockTable* t,
                       const char* name)
{
   bool text = style->form == ROWS_TEXT;

   if (text)
      print_comment(style->out, strcmp(name, "sbb") == 0);
   for (uint32_t i = 0; i < t->n_blocks; i++) {
      const DcfgStreamBlock* b = &t->blocks[i];
      if (!is_wanted_block(style, i))
         continue;
      fprintf(style->out, text
                 ? "%" PRIu32 "\t%08" PRIx64 "\t%08" PRIx64 "\t%" PRIu32
                   "\t%" PRIu64 "\t%s\t"
                 : "%" PRIu32 ",0x%" PRIx64 ",0x%" PRIx64 ",%" PRIu32
                   ",%" PRIu64 ",%s,",
              i + 1, b->first, b->last, b->n_instrs, b->count,
              kinds[b->kind]);
      print_edges(style, t, b);
      if (text)
         fputc('\n', style->out);
      else
         fprintf(style->out, ",%s\n", name);
   }
}

/*--- JSON                                                 ---*/

static void print_json(const RowStyle* style, const DcfgBlockTable* t,
                       const char* name)
{
   FILE* out = style->out;
   bool  any = false;

   fprintf(out, "  \"%s\": [", name);
   for (uint32_t i = 0; i < t->n_blocks; i++) {
      const DcfgStreamBlock* b = &t->blocks[i];
      const DcfgStreamEdge*  e = t->edges + b->first_edge;
      uint64_t               rest;
      uint32_t               n = edges_told(style, t, b, &rest);
      if (!is_wanted_block(style, i))
         continue;
      fprintf(out, "%s\n    { \"id\": %" PRIu32 ", \"start\": \"0x%" PRIx64
              "\", \"end\": \"0x%" PRIx64 "\", \"instrs\": %" PRIu32
              ", \"count\": %" PRIu64 ", \"kind\": \"%s\", \"edges\": [",
              any ? "," : "", i + 1, b->first, b->last, b->n_instrs,
              b->count, kinds[b->kind]);
      for (uint32_t k = 0; k < n; k++)
         fprintf(out, "%s{ \"id\": %" PRIu32 ", \"count\": %" PRIu64
                 ", \"ft\": %s }", k > 0 ? ", " : "", e[k].target + 1,
                 e[k].count, e[k].falls ? "true" : "false");
      fprintf(out, "], \"rare_edges\": %" PRIu32 ", \"rare_count\": %" PRIu64
              " }", b->n_edges - n, rest);
      any = true;
   }
   fprintf(out, "%s]", any ? "\n  " : "");
}

/*--- Pictures                                             ---*/

static void draw_block(const RowStyle* style, const DcfgBlockTable* t,
                       uint32_t block, uint64_t hottest, uint64_t most)
{
   const DcfgStreamBlock* b = &t->blocks[block];
   const DcfgStreamEdge*  e = t->edges + b->first_edge;
   uint64_t               rest, instrs = b->count * b->n_instrs;
   uint32_t               n = edges_told(style, t, b, &rest);

   fprintf(style->out, "  b%" PRIu32 " [label=\"%" PRIu32 "  %08" PRIx64
           " - %08" PRIx64 "\\n%s x %" PRIu32 " instructions  %s\", "
           "fillcolor=\"%s\", fontcolor=\"%s\"];\n", block + 1, block + 1,
           b->first, b->last, text_count(b->count), b->n_instrs,
           kinds[b->kind], heat_colour(instrs, hottest),
           ink_colour(instrs, hottest));
   for (uint32_t i = 0; i < n; i++) {
      if (!is_wanted_block(style, e[i].target))
         continue;
      fprintf(style->out, "  b%" PRIu32 " -> b%" PRIu32 " [label=\"%s%s\", "
              "color=\"%s\", penwidth=%.2f];\n", block + 1, e[i].target + 1,
              text_count(e[i].count), e[i].falls ? " (ft)" : "",
              e[i].falls ? "#888888" : "#2b6cb0",
              line_width(e[i].count, most));
   }
   if (n < b->n_edges)
      fprintf(style->out, "  r%" PRIu32 " [label=\"..%" PRIu32 "\", "
              "shape=plaintext, style=\"\"];\n"
              "  b%" PRIu32 " -> r%" PRIu32 " [label=\"%s\", style=dotted];\n",
              block + 1, b->n_edges - n, block + 1, block + 1,
              text_count(rest));
   text_forget();
}

static void draw_blocks(const RowStyle* style, const DcfgBlockTable* t,
                        const char* name)
{
   uint64_t hottest = 0, most = 0;

   for (uint32_t i = 0; i < t->n_blocks; i++)
      if (t->blocks[i].count * t->blocks[i].n_instrs > hottest)
         hottest = t->blocks[i].count * t->blocks[i].n_instrs;
   for (uint32_t i = 0; i < t->n_edges; i++)
      if (t->edges[i].count > most)
         most = t->edges[i].count;
   fprintf(style->out, "digraph %s {\n"
           "  node [shape=box, style=filled, fontname=\"monospace\", "
           "fontsize=10];\n"
           "  edge [fontname=\"monospace\", fontsize=9];\n", name);
   for (uint32_t i = 0; i < t->n_blocks; i++)
      if (is_wanted_block(style, i))
         draw_block(style, t, i, hottest, most);
   fputs("}\n", style->out);
}

/*--- Any form                                             ---*/

void print_blocks_header(const RowStyle* style)
{
   if (style->form == ROWS_CSV)
      fputs("id,start,end,instrs,count,kind,edges,table\n", style->out);
}

void print_blocks(const RowStyle* style, const DcfgBlockTable* t,
                  const char* name)
{
   if (style->form == ROWS_JSON)
      print_json(style, t, name);
   else if (style->form == ROWS_DOT)
      draw_blocks(style, t, name);
   else
      print_rows(style, t, name);
}
