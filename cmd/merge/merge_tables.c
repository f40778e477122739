/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Partial sums, written. */

/* Owns: the text of MERGED, which merge_partial.c reads.  Handed: a sum and
   its graph by merge_write.c. */

#include "cmd/merge/merge_tables.h"

#include <inttypes.h>

#define INDENT "          "

static void put_table(Put* out, const char* name, const char* header)
{
   DCFG_(put_text)(out, INDENT "\"");
   DCFG_(put_text)(out, name);
   DCFG_(put_text)(out, "\" : [ [ ");
   DCFG_(put_text)(out, header);
   DCFG_(put_text)(out, " ]");
}

static void put_row(Put* out)
{
   DCFG_(put_text)(out, ",\n" INDENT "  [ ");
}

static void put_next(Put* out, uint64_t n)
{
   DCFG_(put_text)(out, ", ");
   DCFG_(put_number)(out, n);
}

static void put_hex(Put* out, uint64_t n)
{
   char text[24];

   snprintf(text, sizeof(text), "\"0x%" PRIx64 "\"", n);
   DCFG_(put_text)(out, text);
}

static void put_counts(Put* out, const uint64_t* counts, uint32_t n)
{
   DCFG_(put_text)(out, ", [ ");
   for (uint32_t i = 0; i < n; i++) {
      if (i > 0)
         DCFG_(put_text)(out, ", ");
      DCFG_(put_number)(out, counts[i]);
   }
   DCFG_(put_text)(out, " ]");
}

static void put_runs(Put* out, const Merged* m)
{
   put_table(out, "RUNS", "\"PROCESS_ID\", \"INSTR_COUNT\", \"HASH\", "
             "\"NUM_THREADS\", \"FIRST_PART_NUM\", \"PART_NUM\", "
             "\"LAST_PART_NUM\", \"PRECEDING_INSTR_COUNT_PER_THREAD\", "
             "\"FOLLOWING_INSTR_COUNT_PER_THREAD\"");
   for (uint32_t i = 0; i < m->n_runs; i++) {
      const MergedRun* r = &m->runs[i];
      put_row(out);
      DCFG_(put_number)(out, r->id);
      put_next(out, r->instrs);
      DCFG_(put_text)(out, ", ");
      put_hex(out, r->hash);
      put_next(out, r->n_threads);
      put_next(out, r->first_part);
      put_next(out, r->part);
      put_next(out, r->last_part);
      put_counts(out, r->before, r->n_before);
      put_counts(out, r->after, r->n_after);
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ],\n");
}

static void put_homes(Put* out, const PartialTables* t)
{
   put_table(out, "HOMES", "\"IMAGE_ID\", \"RUN_NUM\", \"IMAGE_NUM\", "
             "\"LOAD_ADDR\", \"TURN\"");
   for (uint32_t i = 0; i < t->m->n_images; i++) {
      const MergedImage* im = &t->m->images[t->order[i]];
      put_row(out);
      DCFG_(put_number)(out, i + 1);
      put_next(out, im->home);
      put_next(out, im->number);
      DCFG_(put_text)(out, ", ");
      put_hex(out, im->load);
      put_next(out, im->turn);
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ],\n");
}

static void put_groups(Put* out, const PartialTables* t)
{
   uint32_t* id = zalloc(t->m->n_images, sizeof(*id));

   for (uint32_t i = 0; i < t->m->n_images; i++)
      id[t->order[i]] = i + 1;
   put_table(out, "GROUPS", "\"HASH\", \"RUN_NUMS\", \"IMAGE_IDS\"");
   for (uint32_t i = 0; i < t->m->n_groups; i++) {
      const MergedGroup* g = &t->m->groups[i];
      put_row(out);
      put_hex(out, g->hash);
      for (uint32_t k = 0; k < g->n_runs; k++) {
         DCFG_(put_text)(out, k == 0 ? ", [ " : ", ");
         DCFG_(put_number)(out, g->runs[k]);
      }
      for (uint32_t k = 0; k < g->n_images; k++) {
         DCFG_(put_text)(out, k == 0 ? " ], [ " : ", ");
         DCFG_(put_number)(out, id[g->images[k]]);
      }
      DCFG_(put_text)(out, " ] ]");
   }
   DCFG_(put_text)(out, " ],\n");
   free(id);
}

/* Put an element of a list: a comma if needed, and N. */
static void put_element(Put* out, bool* first, uint64_t n)
{
   DCFG_(put_text)(out, *first ? " " : ", ");
   DCFG_(put_number)(out, n);
   *first = false;
}

/* Put the blocks where a routine of some run begins, in images without symbols;
   symbols say it in others. */
static void put_entries(Put* out, const PartialTables* t)
{
   bool     first = true;
   uint32_t node = NodeFirstBlock;

   DCFG_(put_text)(out, INDENT "\"ENTRY_NODE_IDS\" : [");
   for (uint32_t i = 0; i < t->m->n_images; i++) {
      const MergedImage* im = &t->m->images[t->order[i]];
      for (uint32_t k = 0; k < im->n_blocks; k++, node++)
         if (im->n_symbols == 0 && im->blocks[k].enters)
            put_element(out, &first, node);
   }
   DCFG_(put_text)(out, " ],\n");
}

static void put_added(Put* out, const PartialTables* t)
{
   bool     first = true;
   uint32_t k = 0;

   DCFG_(put_text)(out, INDENT "\"ADDED_EDGE_IDS\" : [");
   for (uint32_t i = 0; i < t->graph->n_edges && k < t->n_added; i++) {
      const Edge* e = &t->graph->edges[i];
      if (e->source == t->added[k].source && e->target == t->added[k].target) {
         put_element(out, &first, i + 1);
         k++;
      }
   }
   DCFG_(put_text)(out, " ],\n");
}

static void put_rows(Put* out, const PartialTables* t)
{
   bool first = true;

   put_table(out, "ROWS", "\"IMAGE_ID\", \"FILE_NAME_ID\", \"LINE_NUM\", "
             "\"ADDR_OFFSET\", \"SIZE\", \"NUM_INSTRS\"");
   for (uint32_t i = 0; i < t->m->n_images; i++) {
      const MergedImage* im = &t->m->images[t->order[i]];
      for (uint32_t k = 0; t->rows_differ[i] && k < im->n_rows; k++) {
         const MergedRow* r = &im->rows[k];
         put_row(out);
         DCFG_(put_number)(out, i + 1);
         put_next(out, t->file_id(t->files, r->file));
         put_next(out, r->line);
         DCFG_(put_text)(out, ", ");
         put_hex(out, r->offset);
         put_next(out, r->size);
         put_next(out, r->n_instrs);
         DCFG_(put_text)(out, " ]");
      }
   }
   DCFG_(put_text)(out, " ],\n" INDENT "\"OVERLAPPING_IMAGE_IDS\" : [");
   for (uint32_t i = 0; i < t->m->n_images; i++)
      if (t->m->images[t->order[i]].overlapping)
         put_element(out, &first, i + 1);
   DCFG_(put_text)(out, " ],\n");
}

static void put_left_out(Put* out, const LeftOut* l)
{
   put_table(out, "LEFT_OUT", "\"FILE_NAME\", \"REASON\"");
   for (uint32_t i = 0; i < l->n; i++) {
      put_row(out);
      DCFG_(put_string)(out, l->all[i].file);
      DCFG_(put_text)(out, ", ");
      DCFG_(put_string)(out, l->all[i].reason);
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ] }");
}

void put_merged(Put* out, const void* arg)
{
   const PartialTables* t = arg;

   DCFG_(put_text)(out, ",\n        \"MERGED\" : { \"THREADS\" : ");
   DCFG_(put_string)(out, t->m->keep ? "keep" : "add");
   DCFG_(put_text)(out, ", \"BUILDS\" : ");
   DCFG_(put_string)(out, t->m->apart ? "apart" : "one");
   DCFG_(put_text)(out, ", \"NUM_FILES\" : ");
   DCFG_(put_number)(out, t->left_out->n_files);
   DCFG_(put_text)(out, ",\n");
   put_runs(out, t->m);
   put_homes(out, t);
   put_groups(out, t);
   put_entries(out, t);
   put_added(out, t);
   put_rows(out, t);
   put_left_out(out, t->left_out);
}
