/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors */

/* Owns: the text of a DCFG, format 1.00 (its specification, part 2). Handed:
   the whole contents, in the final order.  `dcfg merge' writes with it, too.

   Every row of a table is on a line of its own.  Readers rely on exactly these
   keys, columns and number formats. */

#include "dcfg_json.h"
#include "format/dcfg_tables.h"

static const HChar* const edge_type_names[N_EDGE_TYPES] = {
   DCFG_EDGE_TYPE_NAMES
};

/*--- Rows                                                 ---*/

/* Put an address or offset as a string of hexadecimal digits. */
static void put_hex(Put* out, ULong n)
{
   HChar text[20];
   UInt  i = sizeof(text);

   text[--i] = '"';
   do {
      text[--i] = "0123456789abcdef"[n & 15];
      n >>= 4;
   } while (n != 0);
   text[--i] = 'x';
   text[--i] = '0';
   text[--i] = '"';
   DCFG_(put_bytes)(out, text + i, sizeof(text) - i);
}

/* Put the first lines of the table KEY, up to its header. */
static void put_table(Put* out, const HChar* indent, const HChar* key,
                      const HChar* header)
{
   DCFG_(put_text)(out, indent);
   DCFG_(put_char)(out, '"');
   DCFG_(put_text)(out, key);
   DCFG_(put_text)(out, "\" : [ [ ");
   DCFG_(put_text)(out, header);
   DCFG_(put_text)(out, " ]");
}

/* Put the begin of a row.  INDENT is a literal. */
#define put_row(out, indent) DCFG_(put_text)(out, ",\n" indent "  [ ")

static void put_ids(Put* out, const UInt* ids, UInt n)
{
   DCFG_(put_text)(out, "[ ");
   for (UInt i = 0; i < n; i++) {
      if (i > 0)
         DCFG_(put_text)(out, ", ");
      DCFG_(put_number)(out, ids[i]);
   }
   DCFG_(put_text)(out, " ]");
}

/* Put a list of a number for each thread. */
static void put_counts(Put* out, const ULong* counts, UInt n_threads)
{
   DCFG_(put_text)(out, "[ ");
   DCFG_(put_numbers)(out, counts, n_threads);
   DCFG_(put_text)(out, " ]");
}

/*--- Images                                               ---*/

#define IN_IMAGE "              "

/* Put the build id of the object, or the hash of its code. */
static void put_build(Put* out, const ImageInfo* im)
{
   if (im->build_id != NULL) {
      DCFG_(put_text)(out, ", \"BUILD_ID\" : ");
      DCFG_(put_string)(out, im->build_id);
   } else if (im->code_hash != 0) {
      DCFG_(put_text)(out, ", \"CODE_HASH\" : ");
      put_hex(out, im->code_hash);
   }
}

static void put_symbols(Put* out, const ImageInfo* im)
{
   DCFG_(put_text)(out, ",\n");
   put_table(out, IN_IMAGE, "SYMBOLS",
             "\"NAME\", \"ADDR_OFFSET\", \"SIZE\"");
   for (UInt i = 0; i < im->n_symbols; i++) {
      const ImageSymbol* s = &im->symbols[i];
      put_row(out, IN_IMAGE);
      DCFG_(put_string)(out, s->name);
      DCFG_(put_text)(out, ", ");
      put_hex(out, s->addr - im->load);
      DCFG_(put_text)(out, ", ");
      DCFG_(put_number)(out, s->size);
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ]");
}

static void put_source(Put* out, const JsonImage* im)
{
   DCFG_(put_text)(out, ",\n");
   put_table(out, IN_IMAGE, "SOURCE_DATA",
             "\"FILE_NAME_ID\", \"LINE_NUM\", \"ADDR_OFFSET\", "
             "\"SIZE\", \"NUM_INSTRS\"");
   for (UInt i = 0; i < im->n_source; i++) {
      const SourceRow* r = &im->source[i];
      put_row(out, IN_IMAGE);
      DCFG_PUT_NUMBERS(out, r->file, r->line);
      DCFG_(put_text)(out, ", ");
      put_hex(out, r->addr - im->info.load);
      DCFG_(put_text)(out, ", ");
      DCFG_PUT_NUMBERS(out, r->size, r->n_instrs);
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ]");
}

/* Put the blocks of IMAGE, FIRST to END-1. */
static void put_blocks(Put* out, const JsonDcfg* dcfg, UInt image,
                       UInt first, UInt end)
{
   DCFG_(put_text)(out, ",\n");
   put_table(out, IN_IMAGE, "BASIC_BLOCKS",
             "\"NODE_ID\", \"ADDR_OFFSET\", \"SIZE\", \"NUM_INSTRS\", "
             "\"LAST_INSTR_OFFSET\", \"COUNT\"");
   for (UInt i = first; i < end; i++) {
      const Block* b = &dcfg->graph->blocks[i];
      put_row(out, IN_IMAGE);
      DCFG_(put_number)(out, NodeFirstBlock + i);
      DCFG_(put_text)(out, ", ");
      put_hex(out, b->addr - dcfg->images[image].info.load);
      DCFG_(put_text)(out, ", ");
      DCFG_PUT_NUMBERS(out, b->size, b->n_instrs, b->last_offset, b->count);
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ]");
}

/* Put INSTR_SIZES of the blocks FIRST to END-1, whose digits begin at *SIZES.
   An image of which nothing is known has none. */
static void put_instr_sizes(Put* out, const Graph* graph, UInt first, UInt end,
                            const HChar** sizes)
{
   const HChar* from  = *sizes;
   Bool         known = False;

   for (UInt i = first; i < end; i++)
      for (UInt k = 0; k < graph->blocks[i].n_instrs; k++)
         known = *(*sizes)++ != '0' || known;
   if (!known)
      return;
   DCFG_(put_text)(out, ",\n" IN_IMAGE "\"INSTR_SIZES\" : \"");
   for (; from < *sizes; from++)
      DCFG_(put_char)(out, *from);
   DCFG_(put_char)(out, '"');
}

/* Put loop L.  NODES has room for the nodes of L. */
static void put_loop(Put* out, const JsonDcfg* dcfg, const Loop* l, UInt* nodes)
{
   const Loops* ls = dcfg->loops;

   DCFG_(loop_nodes)(ls, dcfg->routines, l, nodes);
   DCFG_(put_text)(out, ",\n" IN_IMAGE "      [ ");
   DCFG_(put_number)(out, l->head);
   DCFG_(put_text)(out, ", ");
   put_ids(out, ls->ids + l->first_back, l->n_backs);
   DCFG_(put_text)(out, ", ");
   put_ids(out, nodes, l->n_nodes);
   if (l->parent != 0) {
      DCFG_(put_text)(out, ", ");
      DCFG_(put_number)(out, l->parent);
   }
   DCFG_(put_text)(out, " ]");
}

/* Put the routines from FIRST up whose entries are blocks below END, with their
   loops from *LOOP up.  Return the next routine. */
static UInt put_routines(Put* out, const JsonDcfg* dcfg, UInt first,
                         UInt end, UInt* loop)
{
   const Routines* r  = dcfg->routines;
   const Loops*    ls = dcfg->loops;
   UInt            k;

   DCFG_(put_text)(out, ",\n");
   put_table(out, IN_IMAGE, "ROUTINES",
             "\"ENTRY_NODE_ID\", \"EXIT_NODE_IDS\", \"NODES\", \"LOOPS\"");
   for (k = first; k < r->n_routines
                   && r->routines[k].entry < NodeFirstBlock + end; k++) {
      const Routine* rt = &r->routines[k];
      put_row(out, IN_IMAGE);
      DCFG_(put_number)(out, rt->entry);
      DCFG_(put_text)(out, ",\n" IN_IMAGE "    ");
      put_ids(out, r->exits + rt->first_exit, rt->n_exits);
      DCFG_(put_text)(out, ",\n" IN_IMAGE
                    "    [ [ \"NODE_ID\", \"IDOM_NODE_ID\" ]");
      for (UInt i = 0; i < rt->n_nodes; i++) {
         const RoutineNode* rn = &r->nodes[rt->first_node + i];
         DCFG_(put_text)(out, ",\n" IN_IMAGE "      [ ");
         DCFG_PUT_NUMBERS(out, rn->node, rn->idom);
         DCFG_(put_text)(out, " ]");
      }
      DCFG_(put_text)(out, " ]");
      if (*loop < ls->n_loops && ls->loops[*loop].routine == k) {
         DCFG_(put_text)(out, ",\n" IN_IMAGE "    [ [ \"LOOP_HEAD_NODE_ID\", "
                  "\"LOOP_BACK_EDGE_SOURCE_NODE_IDS\", "
                  "\"LOOP_NODE_IDS\", \"PARENT_LOOP_HEAD_NODE_ID\" ]");
         UInt* nodes = dcfg_alloc("dcfg.json.loop",
                                  rt->n_nodes * sizeof(UInt));
         while (*loop < ls->n_loops && ls->loops[*loop].routine == k)
            put_loop(out, dcfg, &ls->loops[(*loop)++], nodes);
         dcfg_free(nodes);
         DCFG_(put_text)(out, " ]");
      }
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ]");
   return k;
}

static void put_images(Put* out, const JsonDcfg* dcfg)
{
   UInt         block = 0, routine = 0, loop = 0;
   const HChar* sizes = dcfg->instr_sizes;

   put_table(out, "        ", "IMAGES",
             "\"IMAGE_ID\", \"LOAD_ADDR\", \"SIZE\", \"IMAGE_DATA\"");
   for (UInt i = 0; i < dcfg->n_images; i++) {
      const JsonImage* im = &dcfg->images[i];
      UInt end = block;
      while (end < dcfg->graph->n_blocks && dcfg->graph->blocks[end].image == i)
         end++;
      put_row(out, "        ");
      DCFG_(put_number)(out, i + 1);
      DCFG_(put_text)(out, ",\n            ");
      put_hex(out, im->info.load);
      DCFG_(put_text)(out, ",\n            ");
      DCFG_(put_number)(out, im->info.size);
      DCFG_(put_text)(out, ",\n            { \"FILE_NAME_ID\" : ");
      DCFG_(put_number)(out, im->file);
      put_build(out, &im->info);
      if (dcfg->with_symbols && im->info.n_symbols > 0)
         put_symbols(out, &im->info);
      if (im->n_source > 0)
         put_source(out, im);
      if (dcfg->with_cfg && end > block) {
         put_blocks(out, dcfg, i, block, end);
         if (sizes != NULL)
            put_instr_sizes(out, dcfg->graph, block, end, &sizes);
         if (dcfg->routines != NULL)
            routine = put_routines(out, dcfg, routine, end, &loop);
      }
      DCFG_(put_text)(out, " } ]");
      block = end;
   }
   DCFG_(put_text)(out, " ]");
}

/*--- The whole                                            ---*/

static void put_edges(Put* out, const Graph* graph)
{
   DCFG_(put_text)(out, ",\n");
   put_table(out, "        ", "EDGES",
             "\"EDGE_ID\", \"SOURCE_NODE_ID\", \"TARGET_NODE_ID\", "
             "\"EDGE_TYPE_ID\", \"COUNT_PER_THREAD\"");
   for (UInt i = 0; i < graph->n_edges; i++) {
      const Edge*      e    = &graph->edges[i];
      const EdgeCount* c    = &graph->counts[e->first_count];
      const EdgeCount* last = c + e->n_counts;
      put_row(out, "        ");
      DCFG_PUT_NUMBERS(out, i + 1, e->source, e->target, e->type);
      DCFG_(put_text)(out, ", [ ");
      for (UInt t = 0; t < graph->n_threads; t++) {
         if (t > 0)
            DCFG_(put_text)(out, ", ");
         if (c < last && c->thread == t)
            DCFG_(put_number)(out, (c++)->count);
         else
            DCFG_(put_char)(out, '0');
      }
      DCFG_(put_text)(out, " ] ]");
   }
   DCFG_(put_text)(out, " ]");
}

/* Put the key PART.  Format 1.00 does not have it, but readers skip unknown
   keys.  A recording of a whole run has no such key. */
static void put_part(Put* out, const JsonPart* p, UInt n_threads,
                     UInt n_images)
{
   DCFG_(put_text)(out, ",\n        \"PART\" : { \"PART_NUM\" : ");
   DCFG_(put_number)(out, p->number);
   DCFG_(put_text)(out, ", \"FIRST_PART_NUM\" : ");
   DCFG_(put_number)(out, p->first);
   if (p->mark != NULL) {
      DCFG_(put_text)(out, ", \"MARK\" : ");
      DCFG_(put_string)(out, p->mark);
   }
   DCFG_(put_text)(out, ",\n          "
                   "\"PRECEDING_INSTR_COUNT_PER_THREAD\" : ");
   put_counts(out, p->preceding, n_threads);
   DCFG_(put_text)(out, ",\n          \"IMAGE_NUMS\" : ");
   put_ids(out, p->image_numbers, n_images);
   DCFG_(put_text)(out, ",\n");
   put_table(out, "          ", "CONTINUED_THREADS",
             "\"THREAD_ID\", \"EDGE_TYPE_ID\"");
   for (UInt t = 0; t < n_threads; t++) {
      if (p->ways_in[t] == 255)
         continue;
      put_row(out, "          ");
      DCFG_PUT_NUMBERS(out, t, p->ways_in[t]);
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ],\n");
   put_table(out, "          ", "LATE_BYPASSES",
             "\"IMAGE_NUM\", \"ADDR_OFFSET\", \"TARGET_NODE_ID\"");
   for (UInt i = 0; i < p->n_bypasses; i++) {
      put_row(out, "          ");
      DCFG_(put_number)(out, p->bypasses[i].image);
      DCFG_(put_text)(out, ", ");
      put_hex(out, p->bypasses[i].offset);
      DCFG_(put_text)(out, ", ");
      DCFG_(put_number)(out, p->bypasses[i].target);
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ] }");
}

/* Put the keys RUN and NUM_RUNS.  Format 1.00 does not have them.  The row of a
   single run is on the line of the key: of two equal runs, only this line and
   the process id differ. */
static void put_runs(Put* out, const JsonDcfg* dcfg)
{
   if (dcfg->n_runs != 1) {
      DCFG_(put_text)(out, "\"NUM_RUNS\" : ");
      DCFG_(put_number)(out, dcfg->n_runs);
      DCFG_(put_text)(out, ",\n        ");
   }
   if (dcfg->n_recorded == 0)
      return;
   put_table(out, "", "RUN",
             "\"PROCESS_ID\", \"PARENT_ID\", \"COMMAND_LINE\", "
             "\"WORKING_DIR\", \"START\", \"TOOL_VERSION\", "
             "\"PROCESSOR\", \"DETERMINISTIC\", \"CONDITIONS\"");
   for (UInt i = 0; i < dcfg->n_recorded; i++) {
      const JsonRun*     r       = &dcfg->runs[i];
      const HChar* const texts[] = { r->command_line, r->working_dir, r->start,
                                     r->tool_version, r->processor,
                                     r->deterministic, r->conditions };
      DCFG_(put_text)(out, i == 0 ? ", [ " : ",\n          [ ");
      DCFG_PUT_NUMBERS(out, r->pid, r->parent);
      for (UInt k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
         DCFG_(put_text)(out, ", ");
         DCFG_(put_string)(out, texts[k]);
      }
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ],\n        ");
}

/* Put the key CALLS, which format 1.00 does not have either. */
static void put_calls(Put* out, const JsonCalls* calls, UInt n_threads)
{
   DCFG_(put_text)(out, ",\n        \"CALLS\" : {\n");
   put_table(out, "          ", "FUNCTIONS",
             "\"FUNCTION_ID\", \"IMAGE_ID\", \"ADDR_OFFSET\", "
             "\"SELF_PER_THREAD\", \"INCLUSIVE_PER_THREAD\"");
   for (UInt i = 0; i < calls->n_functions; i++) {
      const JsonFunction* f = &calls->functions[i];
      put_row(out, "          ");
      DCFG_PUT_NUMBERS(out, i + 1, f->image);
      DCFG_(put_text)(out, ", ");
      put_hex(out, f->offset);
      DCFG_(put_text)(out, ", ");
      put_counts(out, f->self, n_threads);
      DCFG_(put_text)(out, ", ");
      put_counts(out, f->all, n_threads);
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ],\n");
   put_table(out, "          ", "PAIRS",
             "\"CALLER_ID\", \"CALLEE_ID\", \"COUNT_PER_THREAD\", "
             "\"INCLUSIVE_PER_THREAD\"");
   for (UInt i = 0; i < calls->n_calls; i++) {
      const JsonCall* c = &calls->calls[i];
      put_row(out, "          ");
      DCFG_PUT_NUMBERS(out, c->caller, c->callee);
      DCFG_(put_text)(out, ", ");
      put_counts(out, c->counts, n_threads);
      DCFG_(put_text)(out, ", ");
      put_counts(out, c->costs, n_threads);
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ] }");
}

static void put_process(Put* out, const JsonDcfg* dcfg)
{
   const Graph* g     = dcfg->graph;
   ULong        total = 0;

   DCFG_(put_text)(out, "      { ");
   put_runs(out, dcfg);
   for (UInt t = 0; t < g->n_threads; t++)
      total += g->thread_instrs[t];
   DCFG_(put_text)(out, "\"INSTR_COUNT_PER_THREAD\" : ");
   put_counts(out, g->thread_instrs, g->n_threads);
   DCFG_(put_text)(out, ",\n        \"INSTR_COUNT\" : ");
   DCFG_(put_number)(out, total);
   DCFG_(put_text)(out, ",\n");
   put_images(out, dcfg);
   if (dcfg->with_cfg)
      put_edges(out, g);
   if (dcfg->part != NULL)
      put_part(out, dcfg->part, g->n_threads, dcfg->n_images);
   if (dcfg->calls != NULL)
      put_calls(out, dcfg->calls, g->n_threads);
   if (dcfg->more != NULL)
      dcfg->more(out, dcfg->more_arg);
   DCFG_(put_text)(out, "\n      } ]");
}

void DCFG_(write_json)(Put* out, const JsonDcfg* dcfg)
{
   DCFG_(write_processes)(out, dcfg, 1);
}

void DCFG_(write_processes)(Put* out, const JsonDcfg* processes, UInt n)
{
   const JsonDcfg* d = &processes[0];    // the files are the same for all
                                         // processes
   UInt            i;

   DCFG_(put_text)(out, "{ \"MAJOR_VERSION\" : 1,\n"
                         "  \"MINOR_VERSION\" : 0,\n");
   put_table(out, "  ", "FILE_NAMES", "\"FILE_NAME_ID\", \"FILE_NAME\"");
   for (i = 0; i < d->n_files; i++) {
      put_row(out, "  ");
      DCFG_(put_number)(out, i + 1);
      DCFG_(put_text)(out, ", ");
      DCFG_(put_string)(out, d->files[i]);
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ],\n");
   put_table(out, "  ", "EDGE_TYPES", "\"EDGE_TYPE_ID\", \"EDGE_TYPE\"");
   for (i = 0; i < N_EDGE_TYPES; i++) {
      put_row(out, "  ");
      DCFG_(put_number)(out, i + 1);
      DCFG_(put_text)(out, ", ");
      DCFG_(put_string)(out, edge_type_names[i]);
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ],\n");
   put_table(out, "  ", "SPECIAL_NODES", "\"NODE_ID\", \"NODE_NAME\"");
   DCFG_(put_text)(out, ", [ 1, \"START\" ], [ 2, \"END\" ], "
                         "[ 3, \"UNKNOWN\" ] ],\n");
   put_table(out, "  ", "PROCESSES", "\"PROCESS_ID\", \"PROCESS_DATA\"");
   for (i = 0; i < n; i++) {
      put_row(out, "  ");
      DCFG_(put_number)(out, processes[i].pid);
      DCFG_(put_text)(out, ",\n");
      put_process(out, &processes[i]);
   }
   DCFG_(put_text)(out, " ]\n}\n");
   DCFG_(put_flush)(out);
}
