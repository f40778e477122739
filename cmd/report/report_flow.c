/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Branches in reports. */

/* Owns: the sections of branches and indirect jumps.  Handed: a process by
   cmd_report.c. */

#include "cmd/program/functions.h"
#include "cmd/report/report_views.h"

/* FlowRow: a future row of a table. */
typedef
   struct {
      uint64_t count, second;
      uint32_t index, n;
   }
   FlowRow;

COMPARE(by_count, FlowRow, DOWN(count) ?: UP(index))

static uint64_t count_of(const View* v, uint32_t edge)
{
   return dcfg_edge_count(v->g->p, edge, v->thread);
}

/* Return the rows of the N blocks that are selected and that WEIGH returns true
   for, those with the highest counts first; to be freed. */
static FlowRow* find_rows(const View* v,
                          bool (*weigh)(const View* v, uint32_t node,
                                        FlowRow* row), uint32_t* n)
{
   FlowRow* rows = zalloc(v->g->p->n_blocks, sizeof(*rows));

   *n = 0;
   for (uint32_t i = 0; i < v->g->p->n_blocks; i++)
      if (is_selected(v->selected, i) && weigh(v, i, &rows[*n]))
         ++*n;
   qsort(rows, *n, sizeof(*rows), by_count);
   return rows;
}

/*--- Branches                                             ---*/

static bool is_conditional(uint32_t type)
{
   return type == DCFG_EDGE_DIRECT_CONDITIONAL_BRANCH
          || type == DCFG_EDGE_INDIRECT_CONDITIONAL_BRANCH
          || type == DCFG_EDGE_CONDITIONAL_BRANCH;
}

/* Set .first to how often a block's branch was executed, and .second to how
   often it was taken.  Return false if it has no branch. */
static bool weigh_branch(const View* v, uint32_t node, FlowRow* row)
{
   uint32_t        n;
   const uint32_t* out = dcfg_out_edges(v->g->p, node, &n);
   bool            is = false;

   *row = (FlowRow){ .index = node };
   for (uint32_t i = 0; i < n; i++) {
      const DcfgEdge* e = &v->g->p->edges[out[i]];
      uint64_t        count = count_of(v, out[i]);
      if (is_conditional(e->type)) {
         is = true;
         add_count(&row->second, count);
      }
      if (is_conditional(e->type) || e->type == DCFG_EDGE_FALL_THROUGH)
         add_count(&row->count, count);
   }
   return is && row->count > 0;
}

static Table* branches_table(const View* v, uint32_t* n)
{
   const DcfgProcess* p = v->g->p;
   FlowRow*           rows = find_rows(v, weigh_branch, n);
   Table*             t = tab_new("branches");

   tab_column(t, COL_COUNT, "executions", "executions", 0);
   tab_column(t, COL_COUNT, "taken", "taken", 0);
   tab_column(t, COL_SHARE, "taken_share", "share", 0);
   tab_column(t, COL_SHARE, "bias", "bias", 0);
   tab_column(t, COL_NAME, "name", "block", v->name_width);
   tab_column(t, COL_TEXT, "source", "source", v->source_width);
   tab_column(t, COL_TEXT, "image", "image", 24);
   tab_column(t, COL_COUNT, "node_id", "node", 0);
   for (uint32_t i = 0; i < n_shown(v, *n); i++) {
      const FlowRow* r = &rows[i];
      const DcfgNode* b = &p->nodes[r->index];
      uint64_t   other = r->count - r->second;
      uint32_t   s = dcfg_source_at(p, b->image, b->addr + b->last_offset);
      put_count(t, r->count);
      put_count(t, r->second);
      put_share(t, r->second, r->count);
      put_share(t, r->second > other ? r->second : other, r->count);
      put_name(t, node_name(v->g, r->index), node_symbol(v->g, r->index));
      put_text(t, s == DCFG_NONE ? ""
               : source_place(v->g, b->image, b->addr + b->last_offset));
      put_text(t, image_name(v->g, b->image));
      put_count(t, b->id);
   }
   free(rows);
   return t;
}

/*--- Indirect jumps and calls                             ---*/

static bool is_indirect(uint32_t type)
{
   return type == DCFG_EDGE_INDIRECT_UNCONDITIONAL_BRANCH
          || type == DCFG_EDGE_INDIRECT_CALL
          || type == DCFG_EDGE_INDIRECT_BRANCH;
}

/* Return the indirect edges of block NODE, the most frequent first; their
   number goes to *N. */
static FlowRow* find_targets(const View* v, uint32_t node, uint32_t* n)
{
   uint32_t        n_out;
   const uint32_t* out = dcfg_out_edges(v->g->p, node, &n_out);
   FlowRow*        rows = zalloc(n_out, sizeof(*rows));

   *n = 0;
   for (uint32_t i = 0; i < n_out; i++) {
      uint64_t count = count_of(v, out[i]);
      if (is_indirect(v->g->p->edges[out[i]].type) && count > 0)
         rows[(*n)++] = (FlowRow){ count, 0, out[i], 0 };
   }
   qsort(rows, *n, sizeof(*rows), by_count);
   return rows;
}

static bool weigh_indirect(const View* v, uint32_t node, FlowRow* row)
{
   uint32_t        n;
   const uint32_t* out = dcfg_out_edges(v->g->p, node, &n);

   *row = (FlowRow){ .index = node };
   for (uint32_t i = 0; i < n; i++) {
      uint64_t count = count_of(v, out[i]);
      if (!is_indirect(v->g->p->edges[out[i]].type) || count == 0)
         continue;
      add_count(&row->count, count);
      row->n++;
   }
   return row->n > 0;
}

/* Targets that are named. */
#define MAX_NAMED 4

static const char* name_targets(const View* v, const FlowRow* targets,
                                uint32_t n, uint64_t all)
{
   const char*  text = "";
   uint32_t     named = n < MAX_NAMED ? n : MAX_NAMED;
   LongName     names[MAX_NAMED];
   const char** shown;

   for (uint32_t i = 0; i < named; i++) {
      uint32_t target = v->g->p->edges[targets[i].index].target;
      const char* symbol = node_symbol(v->g, target);
      names[i] = (LongName){ node_name(v->g, target),
                             symbol == NULL ? NULL : rust_hash(symbol) };
   }
   shown = short_names(names, named, 32);
   for (uint32_t i = 0; i < named; i++)
      text = text_format("%s%s%s %s", text, i > 0 ? ", " : "", shown[i],
                         text_share(targets[i].count, all));
   free(shown);
   if (n > MAX_NAMED)
      text = text_format("%s, %s others", text, text_count(n - MAX_NAMED));
   return text;
}

static Table* indirect_table(const View* v, uint32_t* n)
{
   const DcfgProcess* p = v->g->p;
   FlowRow*           rows = find_rows(v, weigh_indirect, n);
   Table*             t = tab_new("indirect");

   tab_column(t, COL_COUNT, "executions", "executions", 0);
   tab_column(t, COL_COUNT, "n_targets", "targets", 0);
   tab_column(t, COL_NAME, "name", "block", v->name_width);
   tab_column(t, COL_TEXT, "source", "source", v->source_width);
   tab_column(t, COL_TEXT, "targets", "most frequent", 0);
   tab_column(t, COL_COUNT, "node_id", "node", 0);
   for (uint32_t i = 0; i < n_shown(v, *n); i++) {
      uint32_t n_targets;
      FlowRow* targets = find_targets(v, rows[i].index, &n_targets);
      put_count(t, rows[i].count);
      put_count(t, rows[i].n);
      put_name(t, node_name(v->g, rows[i].index),
               node_symbol(v->g, rows[i].index));
      put_text(t, node_source(v->g, rows[i].index));
      put_text(t, name_targets(v, targets, n_targets, rows[i].count));
      put_count(t, p->nodes[rows[i].index].id);
      free(targets);
   }
   free(rows);
   return t;
}

const ReportSection report_section_branches = {
   .option = { "branches", OPT_FLAG, NULL, NULL,
               "conditional branches: how often each was taken, and how often "
               "it went its more frequent way" },
   .name = "branches", .title = "conditional branches",
   .remark = "", .place = 13, .make = branches_table
};

const ReportSection report_section_indirect = {
   .option = { "indirect", OPT_FLAG, NULL, NULL,
               "where indirect jumps and calls went" },
   .name = "indirect", .title = "indirect jumps and calls",
   .remark = "", .place = 14, .make = indirect_table
};
