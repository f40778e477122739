/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Tables of the hottest parts. */

/* Owns: the sections of images, loops, routines, blocks and edges, and of
   iterations of each entry to a loop, which need a trace.  Handed: a process
   by cmd_report.c. */

#include "cmd/report/report_views.h"

#include "cmd/calls/call_walk.h"

/* Usual: the sections that are shown by default. */
typedef enum { LOOPS, ROUTINES, BLOCKS, EDGES, IMAGES } Usual;

/*--- What is hottest                                      ---*/

typedef
   struct {
      uint64_t    weight, second;
      uint64_t    addr;         // set only for sorting by them
      const char* name;
      uint32_t    index;
   }
   Item;

COMPARE(by_weight, Item, DOWN(weight) ?: DOWN(second) ?: UP(index))
COMPARE(by_count, Item, DOWN(second) ?: by_weight(x, y))
COMPARE(by_name, Item, strcmp(x->name, y->name) ?: by_weight(x, y))
COMPARE(by_address, Item, UP(addr) ?: by_weight(x, y))

/* Set ITEM's keys for sorting by name or address. */
static void place_item(const View* r, Usual s, Item* item)
{
   const DcfgProcess* p = r->g->p;
   uint32_t           i = item->index, node;

   if (s == IMAGES) {
      item->addr = p->images[i].load_addr;
      item->name = image_name(r->g, i);
      return;
   }
   node = s == LOOPS ? p->loops[i].head : s == ROUTINES ? p->routines[i].entry
          : s == EDGES ? p->edges[i].source : i;
   item->addr = node < p->n_blocks ? p->nodes[node].addr : 0;
   item->name = r->sorting == BY_NAME ? node_name(r->g, node) : "";
}

/* Set ITEM's numbers for sorting.  Return false if row I is not selected, or
   was never executed. */
static bool weigh(const View* r, Usual s, uint32_t i, Item* item)
{
   const DcfgProcess* p = r->g->p;

   item->index = i;
   item->second = 0;
   switch (s) {
      case LOOPS:
         if (!is_selected(r->selected, p->loops[i].head))
            return false;
         item->weight = dcfg_loop_instrs(p, i, r->thread);
         item->second = dcfg_loop_iterations(p, i, r->thread);
         break;
      case ROUTINES:
         if (!is_selected(r->selected, p->routines[i].entry))
            return false;
         item->weight = dcfg_routine_instrs(p, i, r->thread);
         item->second = dcfg_routine_entries(p, i, r->thread);
         break;
      case BLOCKS:
         if (!is_selected(r->selected, i))
            return false;
         item->weight = dcfg_node_instrs(p, i, r->thread);
         item->second = dcfg_node_executions(p, i, r->thread);
         break;
      case EDGES:
         if (!is_selected(r->selected, p->edges[i].source)
             && !is_selected(r->selected, p->edges[i].target))
            return false;
         item->weight = dcfg_edge_count(p, i, r->thread);
         break;
      default:
         if (!image_selected(r->selected, i))
            return false;
         item->weight = 0;
         for (uint32_t k = 0; k < p->images[i].n_nodes; k++)
            add_count(&item->weight,
                      dcfg_node_instrs(p, p->images[i].first_node + k,
                                       r->thread));
         if (p->n_blocks == 0)
            return true;        // a graph without blocks has only its images
   }
   return item->weight > 0;
}

static uint32_t section_size(const DcfgProcess* p, Usual s)
{
   switch (s) {
      case LOOPS:    return p->n_loops;
      case ROUTINES: return p->n_routines;
      case BLOCKS:   return p->n_blocks;
      case EDGES:    return p->n_edges;
      default:       return p->n_images;
   }
}

/* Return the items of a section, the hottest first; *N is their number, and
   *SHOWN the number of rows to show. */
static Item* hottest(const View* r, Usual s, uint32_t* n, uint32_t* shown)
{
   static int (*const orders[])(const void*, const void*) = {
      by_weight, by_count, by_name, by_address
   };
   uint32_t size = section_size(r->g->p, s);
   Item*    items = zalloc(size, sizeof(*items));

   *n = 0;
   for (uint32_t i = 0; i < size; i++)
      if (weigh(r, s, i, &items[*n]))
         place_item(r, s, &items[(*n)++]);
   qsort(items, *n, sizeof(*items), orders[r->sorting]);
   *shown = n_shown(r, *n);
   return items;
}

/*--- Sections                                             ---*/

static void add_edge_columns(const View* r, Table* t)
{
   tab_column(t, COL_COUNT, "count", "count", 0);
   tab_column(t, COL_TEXT, "type", "type", 0);
   tab_column(t, COL_NAME, "from", "from", r->name_width);
   tab_column(t, COL_TEXT, "from_source", "", r->source_width);
   tab_column(t, COL_NAME, "to", "to", r->name_width);
   tab_column(t, COL_TEXT, "to_source", "", r->source_width);
   if (r->form != FORM_TEXT) {
      tab_column(t, COL_COUNT, "edge_id", "edge", 0);
      tab_column(t, COL_COUNT, "from_node_id", "node", 0);
      tab_column(t, COL_COUNT, "to_node_id", "node", 0);
   }
}

static void add_columns(const View* r, Table* t, Usual s)
{
   size_t name = r->name_width, source = r->source_width;

   if (s == EDGES) {
      add_edge_columns(r, t);
      return;
   }
   tab_column(t, COL_SHARE, "share", "share", 0);
   tab_column(t, COL_COUNT, "instructions", "instructions", 0);
   switch (s) {
      case LOOPS:
         if (!r->first)
            tab_column(t, COL_COUNT, "entries", "entries", 0);
         tab_column(t, COL_COUNT, "iterations", "iterations", 0);
         tab_column(t, COL_RATIO, "iterations_per_entry", "per entry", 0);
         if (!r->first)
            tab_column(t, COL_COUNT, "depth", "depth", 0);
         tab_column(t, COL_TEXT, "source", "head", source);
         tab_column(t, COL_NAME, "routine", "routine", name);
         if (r->first)
            return;
         break;
      case ROUTINES:
         tab_column(t, COL_COUNT, "calls", "calls", 0);
         tab_column(t, COL_RATIO, "instructions_per_entry", "per entry", 0);
         tab_column(t, COL_COUNT, "loops", "loops", 0);
         tab_column(t, COL_NAME, "routine", "routine", name);
         tab_column(t, COL_TEXT, "source", "source", source);
         break;
      case BLOCKS:
         tab_column(t, COL_COUNT, "executions", "executions", 0);
         tab_column(t, COL_COUNT, "block_instructions", "instrs", 0);
         tab_column(t, COL_HEX, "address", "address", 0);
         tab_column(t, COL_NAME, "name", "block", name);
         tab_column(t, COL_TEXT, "source", "source", source);
         break;
      default:
         tab_column(t, COL_COUNT, "routines", "routines", 0);
         tab_column(t, COL_COUNT, "blocks", "blocks", 0);
         tab_column(t, COL_HEX, "address", "loaded at", 0);
         tab_column(t, COL_TEXT, "path", "image", 60);
         return;
   }
   tab_column(t, COL_TEXT, "image", "image", 24);
   if (r->form == FORM_TEXT)
      return;
   if (s != BLOCKS)
      tab_column(t, COL_HEX, "address", "address", 0);
   if (s == ROUTINES)
      tab_column(t, COL_COUNT, "entries", "entries", 0);
   if (s == LOOPS)
      tab_column(t, COL_COUNT, "parent_head_node_id", "parent", 0);
   tab_column(t, COL_COUNT, "node_id", "node", 0);
}

static void put_loop(const View* r, Table* t, const Item* item)
{
   const DcfgProcess* p = r->g->p;
   const DcfgLoop*    l = &p->loops[item->index];
   uint64_t           entries = dcfg_loop_entries(p, item->index, r->thread);
   const char*        head = node_source(r->g, l->head);

   put_share(t, item->weight, r->total);
   put_count(t, item->weight);
   if (!r->first)
      put_count(t, entries);
   put_count(t, item->second);
   put_ratio(t, item->second, entries);
   if (!r->first)
      put_count(t, l->depth);
   put_text(t, head[0] != 0 || r->form != FORM_TEXT ? head
            : text_format("0x%" PRIx64, p->nodes[l->head].addr));
   put_name(t, routine_name(r->g, l->routine),
            routine_symbol(r->g, l->routine));
   if (!r->first)
      put_text(t, image_name(r->g, p->nodes[l->head].image));
   if (r->form == FORM_TEXT)
      return;
   put_hex(t, p->nodes[l->head].addr);
   if (l->parent == DCFG_NONE)
      put_nothing(t);
   else
      put_count(t, p->nodes[p->loops[l->parent].head].id);
   put_count(t, p->nodes[l->head].id);
}

static void put_routine(const View* r, Table* t, const Item* item)
{
   const DcfgProcess* p = r->g->p;
   const DcfgRoutine* f = &p->routines[item->index];

   put_share(t, item->weight, r->total);
   put_count(t, item->weight);
   put_count(t, dcfg_routine_calls(p, item->index, r->thread));
   put_ratio(t, item->weight, item->second);
   if (f->n_loops == 0 && r->form == FORM_TEXT)
      put_nothing(t);
   else
      put_count(t, f->n_loops);
   put_name(t, routine_name(r->g, item->index),
            routine_symbol(r->g, item->index));
   put_text(t, node_source(r->g, f->entry));
   put_text(t, image_name(r->g, f->image));
   if (r->form == FORM_TEXT)
      return;
   put_hex(t, p->nodes[f->entry].addr);
   put_count(t, item->second);
   put_count(t, p->nodes[f->entry].id);
}

static void put_block(const View* r, Table* t, const Item* item)
{
   const DcfgNode* n = &r->g->p->nodes[item->index];

   put_share(t, item->weight, r->total);
   put_count(t, item->weight);
   put_count(t, item->second);
   put_count(t, n->n_instrs);
   put_hex(t, n->addr);
   put_name(t, node_name(r->g, item->index), node_symbol(r->g, item->index));
   put_text(t, node_source(r->g, item->index));
   put_text(t, image_name(r->g, n->image));
   if (r->form != FORM_TEXT)
      put_count(t, n->id);
}

/* Return the type in words: "direct conditional branch". */
static const char* type_words(DcfgEdgeType type)
{
   switch (type) {
      case DCFG_EDGE_DIRECT_CONDITIONAL_BRANCH:     return "branch";
      case DCFG_EDGE_INDIRECT_CONDITIONAL_BRANCH:   return "indirect branch";
      case DCFG_EDGE_DIRECT_UNCONDITIONAL_BRANCH:   return "jump";
      case DCFG_EDGE_INDIRECT_UNCONDITIONAL_BRANCH: return "indirect jump";
      case DCFG_EDGE_DIRECT_CALL:                   return "call";
      case DCFG_EDGE_INDIRECT_CALL:                 return "indirect call";
      case DCFG_EDGE_RETURN:                        return "return";
      case DCFG_EDGE_FALL_THROUGH:                  return "fall through";
      case DCFG_EDGE_REP:                           return "rep";
      case DCFG_EDGE_SYSTEM_CALL_BYPASS:            return "system call";
      case DCFG_EDGE_CONTEXT_CHANGE:                return "signal";
      case DCFG_EDGE_CONTEXT_CHANGE_RETURN:         return "signal return";
      default:
         return dcfg_edge_type_text(type);
   }
}

static void put_edge(const View* r, Table* t, const Item* item)
{
   const DcfgEdge* e = &r->g->p->edges[item->index];

   put_count(t, item->weight);
   put_text(t, r->form == FORM_TEXT ? type_words(e->type)
            : dcfg_edge_type_text(e->type));
   put_name(t, node_name(r->g, e->source), node_symbol(r->g, e->source));
   put_text(t, node_source(r->g, e->source));
   put_name(t, node_name(r->g, e->target), node_symbol(r->g, e->target));
   put_text(t, node_source(r->g, e->target));
   if (r->form == FORM_TEXT)
      return;
   put_count(t, e->id);
   put_count(t, r->g->p->nodes[e->source].id);
   put_count(t, r->g->p->nodes[e->target].id);
}

static void put_image(const View* r, Table* t, const Item* item)
{
   const DcfgImage* im = &r->g->p->images[item->index];

   put_share(t, item->weight, r->total);
   put_count(t, item->weight);
   put_count(t, im->n_routines);
   put_count(t, im->n_nodes);
   put_hex(t, im->load_addr);
   put_text(t, image_path(r->g, item->index));
}

static Table* usual_table(const View* r, uint32_t* n)
{
   static void (*const put[])(const View*, Table*, const Item*) = {
      put_loop, put_routine, put_block, put_edge, put_image
   };
   Usual    s = (Usual)r->section->which;
   uint32_t shown;
   Item*    items = hottest(r, s, n, &shown);
   Table*   t = tab_new(r->section->name);

   add_columns(r, t, s);
   for (uint32_t i = 0; i < shown; i++)
      put[s](r, t, &items[i]);
   free(items);
   return t;
}

const ReportSection report_section_loops = {
   .option = { "loops", OPT_FLAG, NULL, NULL, NULL },
   .name = "loops", .title = "loops", .remark = " (with the loops inside)",
   .place = 5, .is_usual = true, .first_rows = 6, .which = LOOPS,
   .make = usual_table
};

const ReportSection report_section_routines = {
   .option = { "routines", OPT_FLAG, NULL, NULL, NULL },
   .name = "routines", .title = "routines", .remark = "", .place = 7,
   .is_usual = true, .which = ROUTINES, .make = usual_table
};

const ReportSection report_section_blocks = {
   .option = { "blocks", OPT_FLAG, NULL, NULL, NULL },
   .name = "blocks", .title = "blocks", .remark = "", .place = 12,
   .is_usual = true, .which = BLOCKS, .make = usual_table
};

const ReportSection report_section_edges = {
   .option = { "edges", OPT_FLAG, NULL, NULL, NULL },
   .name = "edges", .title = "edges", .remark = "", .place = 15,
   .is_usual = true, .which = EDGES, .make = usual_table
};

const ReportSection report_section_images = {
   .option = { "images", OPT_FLAG, NULL, NULL, 
               "print only these sections [functions, lines and loops; with "
               "--csv and --json, these five]" },
   .name = "images", .title = "images", .remark = "", .place = 1,
   .is_usual = true, .of_all = true, .which = IMAGES, .make = usual_table
};

/*--- Iterations of each entry to a loop                   ---*/

static const char* describe_bins(const LoopTrips* t)
{
   const char* text = "";

   for (int i = 0; i < TRIP_BINS; i++) {
      uint64_t low = (uint64_t)1 << i, high = low + (low - 1);
      if (t->bins[i] == 0)
         continue;
      text = text_format("%s%s%s", text, text[0] != 0 ? "  " : "",
                         text_count(low));
      if (high > low)
         text = text_format("%s-%s", text, text_count(high));
      text = text_format("%s: %s", text, text_count(t->bins[i]));
   }
   return text;
}

typedef
   struct {
      uint64_t instrs;
      uint32_t loop;
   }
   Hot;

COMPARE(by_instrs, Hot, DOWN(instrs) ?: UP(loop))

static void put_trips(const View* v, Table* t, uint32_t loop,
                      const LoopTrips* s)
{
   const DcfgLoop* l = &v->g->p->loops[loop];

   put_count(t, s->entries);
   put_count(t, s->iterations);
   put_count(t, s->least);
   put_count(t, s->most);
   put_text(t, node_source(v->g, l->head));
   put_name(t, routine_name(v->g, l->routine),
            routine_symbol(v->g, l->routine));
   put_text(t, describe_bins(s));
   put_count(t, v->g->p->nodes[l->head].id);
}

static Table* trips_table(const View* v, uint32_t* n)
{
   const DcfgProcess* p = v->g->p;
   Functions*         f = functions_new(v->g);
   LoopTrips**        trips = loop_trips(f, v->trace, v->thread);
   Hot*               hot = zalloc(p->n_loops, sizeof(*hot));
   Table*             t = tab_new("trips");

   *n = 0;
   for (uint32_t i = 0; i < p->n_loops; i++)
      if (trips[i] != NULL && is_selected(v->selected, p->loops[i].head))
         hot[(*n)++] = (Hot){ dcfg_loop_instrs(p, i, v->thread), i };
   qsort(hot, *n, sizeof(*hot), by_instrs);
   tab_column(t, COL_COUNT, "entries", "entries", 0);
   tab_column(t, COL_COUNT, "iterations", "iterations", 0);
   tab_column(t, COL_COUNT, "least", "least", 0);
   tab_column(t, COL_COUNT, "most", "most", 0);
   tab_column(t, COL_TEXT, "source", "head", v->source_width);
   tab_column(t, COL_NAME, "routine", "routine", v->name_width);
   tab_column(t, COL_TEXT, "histogram", "iterations: entries", 0);
   tab_column(t, COL_COUNT, "node_id", "node", 0);
   for (uint32_t i = 0; i < n_shown(v, *n); i++)
      put_trips(v, t, hot[i].loop, trips[hot[i].loop]);
   loop_trips_free(f, trips);
   free(hot);
   functions_free(f);
   return t;
}

const ReportSection report_section_trips = {
   .option = { "trips", OPT_FLAG, NULL, NULL,
               "loops, by the iterations of each entry; needs TRACE" },
   .name = "trips", .title = "loops, by iterations of each entry",
   .remark = "", .place = 6, .needs_trace = true, .make = trips_table
};
