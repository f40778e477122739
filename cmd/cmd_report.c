
/*--------------------------------------------------------------------*/
/*--- dcfg report.                                    cmd_report.c ---*/
/*--------------------------------------------------------------------*/

/*
   This file is part of DCFG, a Valgrind tool that writes a program's
   dynamic control-flow graph.

   Copyright (C) 2026 the valgrind-dcfg authors

   This program is free software; you can redistribute it and/or
   modify it under the terms of the GNU General Public License as
   published by the Free Software Foundation; either version 2 of the
   License, or (at your option) any later version.

   This program is distributed in the hope that it will be useful, but
   WITHOUT ANY WARRANTY; without even the implied warranty of
   MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the GNU
   General Public License for more details.

   You should have received a copy of the GNU General Public License
   along with this program; if not, see <http://www.gnu.org/licenses/>.

   The GNU General Public License is contained in the file COPYING.
*/

/* Owns: the subcommand report: what is hottest.  Handed: a command line.
   Taken by: commands.c. */

#include "commands.h"
#include "operands.h"
#include "select.h"
#include "table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef enum { LOOPS, ROUTINES, BLOCKS, EDGES, IMAGES, N_SECTIONS } Section;

static const char* const section_names[N_SECTIONS] = {
   "loops", "routines", "blocks", "edges", "images"
};

typedef
   struct {
      Program            g;
      const DcfgProcess* p;
      Form               form;
      uint32_t           thread;        // or DCFG_ALL_THREADS
      uint64_t           top;           // 0: all
      Selection*         selected;
      uint64_t           total;         // instructions, of all images
      size_t             name_width, source_width;
   }
   Report;

/*------------------------------------------------------------*/
/*--- What is hottest                                      ---*/
/*------------------------------------------------------------*/

typedef
   struct {
      uint64_t weight, second;
      uint32_t index;
   }
   Item;

static int by_weight(const void* a, const void* b)
{
   const Item* x = a;
   const Item* y = b;

   return x->weight > y->weight ? -1 : x->weight < y->weight ? 1
          : x->second > y->second ? -1 : x->second < y->second ? 1
          : x->index < y->index ? -1 : x->index > y->index;
}

/* What a section's rows are sorted by; false: not wanted, or never there. */
static bool weigh(const Report* r, Section s, uint32_t i, Item* item)
{
   const DcfgProcess* p = r->p;

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
            item->weight += dcfg_node_instrs(p, p->images[i].first_node + k,
                                             r->thread);
         if (p->n_blocks == 0)
            return true;        // written without: images are all there is
   }
   return item->weight > 0;
}

static uint32_t section_size(const DcfgProcess* p, Section s)
{
   switch (s) {
      case LOOPS:    return p->n_loops;
      case ROUTINES: return p->n_routines;
      case BLOCKS:   return p->n_blocks;
      case EDGES:    return p->n_edges;
      default:       return p->n_images;
   }
}

/* The items of a section, hottest first.  *N of all go to *SHOWN. */
static Item* hottest(const Report* r, Section s, uint32_t* n, uint32_t* shown)
{
   uint32_t size = section_size(r->p, s);
   Item*    items = zalloc(size, sizeof(*items));

   *n = 0;
   for (uint32_t i = 0; i < size; i++)
      if (weigh(r, s, i, &items[*n]))
         ++*n;
   qsort(items, *n, sizeof(*items), by_weight);
   *shown = r->top == 0 || r->top > *n ? *n : (uint32_t)r->top;
   return items;
}

/*------------------------------------------------------------*/
/*--- Sections                                             ---*/
/*------------------------------------------------------------*/

static void add_columns(const Report* r, Table* t, Section s)
{
   size_t name = r->name_width, source = r->source_width;

   if (s == EDGES) {
      tab_column(t, COL_COUNT, "count", "count", 0);
      tab_column(t, COL_TEXT, "type", "type", 0);
      tab_column(t, COL_NAME, "from", "from", name);
      tab_column(t, COL_TEXT, "from_source", "", source);
      tab_column(t, COL_NAME, "to", "to", name);
      tab_column(t, COL_TEXT, "to_source", "", source);
      if (r->form != FORM_TEXT) {
         tab_column(t, COL_COUNT, "edge_id", "edge", 0);
         tab_column(t, COL_COUNT, "from_node_id", "node", 0);
         tab_column(t, COL_COUNT, "to_node_id", "node", 0);
      }
      return;
   }
   tab_column(t, COL_SHARE, "share", "share", 0);
   tab_column(t, COL_COUNT, "instructions", "instructions", 0);
   switch (s) {
      case LOOPS:
         tab_column(t, COL_COUNT, "entries", "entries", 0);
         tab_column(t, COL_COUNT, "iterations", "iterations", 0);
         tab_column(t, COL_RATIO, "iterations_per_entry", "per entry", 0);
         tab_column(t, COL_COUNT, "depth", "depth", 0);
         tab_column(t, COL_TEXT, "source", "head", source);
         tab_column(t, COL_NAME, "routine", "routine", name);
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

static void put_loop(const Report* r, Table* t, const Item* item)
{
   const DcfgProcess* p = r->p;
   const DcfgLoop*    l = &p->loops[item->index];
   uint64_t           entries = dcfg_loop_entries(p, item->index, r->thread);
   const char*        head = node_source(&r->g, l->head);

   put_share(t, item->weight, r->total);
   put_count(t, item->weight);
   put_count(t, entries);
   put_count(t, item->second);
   put_ratio(t, item->second, entries);
   put_count(t, l->depth);
   put_text(t, head[0] != 0 || r->form != FORM_TEXT ? head
            : text_format("0x%" PRIx64, p->nodes[l->head].addr));
   put_text(t, routine_name(&r->g, l->routine));
   put_text(t, image_name(&r->g, p->nodes[l->head].image));
   if (r->form == FORM_TEXT)
      return;
   put_hex(t, p->nodes[l->head].addr);
   if (l->parent == DCFG_NONE)
      put_nothing(t);
   else
      put_count(t, p->nodes[p->loops[l->parent].head].id);
   put_count(t, p->nodes[l->head].id);
}

static void put_routine(const Report* r, Table* t, const Item* item)
{
   const DcfgProcess* p = r->p;
   const DcfgRoutine* f = &p->routines[item->index];

   put_share(t, item->weight, r->total);
   put_count(t, item->weight);
   put_count(t, dcfg_routine_calls(p, item->index, r->thread));
   put_ratio(t, item->weight, item->second);
   if (f->n_loops == 0 && r->form == FORM_TEXT)
      put_nothing(t);
   else
      put_count(t, f->n_loops);
   put_text(t, routine_name(&r->g, item->index));
   put_text(t, node_source(&r->g, f->entry));
   put_text(t, image_name(&r->g, f->image));
   if (r->form == FORM_TEXT)
      return;
   put_hex(t, p->nodes[f->entry].addr);
   put_count(t, item->second);
   put_count(t, p->nodes[f->entry].id);
}

static void put_block(const Report* r, Table* t, const Item* item)
{
   const DcfgNode* n = &r->p->nodes[item->index];

   put_share(t, item->weight, r->total);
   put_count(t, item->weight);
   put_count(t, item->second);
   put_count(t, n->n_instrs);
   put_hex(t, n->addr);
   put_text(t, node_name(&r->g, item->index));
   put_text(t, node_source(&r->g, item->index));
   put_text(t, image_name(&r->g, n->image));
   if (r->form != FORM_TEXT)
      put_count(t, n->id);
}

/* DIRECT_CONDITIONAL_BRANCH as people say it. */
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

static void put_edge(const Report* r, Table* t, const Item* item)
{
   const DcfgEdge* e = &r->p->edges[item->index];

   put_count(t, item->weight);
   put_text(t, r->form == FORM_TEXT ? type_words(e->type)
            : dcfg_edge_type_text(e->type));
   put_text(t, node_name(&r->g, e->source));
   put_text(t, node_source(&r->g, e->source));
   put_text(t, node_name(&r->g, e->target));
   put_text(t, node_source(&r->g, e->target));
   if (r->form == FORM_TEXT)
      return;
   put_count(t, e->id);
   put_count(t, r->p->nodes[e->source].id);
   put_count(t, r->p->nodes[e->target].id);
}

static void put_image(const Report* r, Table* t, const Item* item)
{
   const DcfgImage* im = &r->p->images[item->index];

   put_share(t, item->weight, r->total);
   put_count(t, item->weight);
   put_count(t, im->n_routines);
   put_count(t, im->n_nodes);
   put_hex(t, im->load_addr);
   put_text(t, image_path(&r->g, item->index));
}

static Table* make_table(const Report* r, Section s, uint32_t* n)
{
   static void (*const put[])(const Report*, Table*, const Item*) = {
      put_loop, put_routine, put_block, put_edge, put_image
   };
   uint32_t shown;
   Item*    items = hottest(r, s, n, &shown);
   Table*   t = tab_new(section_names[s]);

   add_columns(r, t, s);
   for (uint32_t i = 0; i < shown; i++)
      put[s](r, t, &items[i]);
   free(items);
   return t;
}

/*------------------------------------------------------------*/
/*--- The whole                                            ---*/
/*------------------------------------------------------------*/

static void print_title(Section s, uint32_t n, size_t shown)
{
   const char* many = section_names[s];

   if (n == 0)
      printf("\nNo %s.\n", many);
   else if (shown < n)
      printf("\nHottest %zu of %s %s%s\n", shown, text_count(n), many,
             s == LOOPS ? " (with the loops inside)" : "");
   else
      printf("\n%c%s%s\n", many[0] - 'a' + 'A', many + 1,
             s == LOOPS ? " (with the loops inside)" : "");
}

static const char* plural(uint32_t n, const char* one)
{
   return text_format("%s %s%s", text_count(n), one, n == 1 ? "" : "s");
}

static void print_totals(const Report* r)
{
   const DcfgProcess* p = r->p;

   printf("%s, process %" PRIu64 "\n", program_name(&r->g), p->id);
   printf("%s instructions", text_count(r->total));
   if (r->thread != DCFG_ALL_THREADS)
      printf(" in thread %" PRIu32 " of %" PRIu32, r->thread, p->n_threads);
   else
      printf(" in %s", plural(p->n_threads, "thread"));
   printf("; %s, %s, %s, %s, %s\n", plural(p->n_images, "image"),
          plural(p->n_routines, "routine"), plural(p->n_loops, "loop"),
          plural(p->n_blocks, "block"), plural(p->n_edges, "edge"));
   if (r->thread == DCFG_ALL_THREADS && p->n_threads > 1) {
      uint32_t most = r->top == 0 || r->top > p->n_threads ? p->n_threads
                      : (uint32_t)r->top;
      Table*   t = tab_new("threads");
      puts("\nThreads");
      tab_column(t, COL_COUNT, "thread", "thread", 0);
      tab_column(t, COL_SHARE, "share", "share", 0);
      tab_column(t, COL_COUNT, "instructions", "instructions", 0);
      for (uint32_t i = 0; i < most; i++) {
         put_count(t, i);
         put_share(t, dcfg_process_instrs(p, i), r->total);
         put_count(t, dcfg_process_instrs(p, i));
      }
      tab_print(t, FORM_TEXT, 0);
      tab_free(t);
   }
}

static void print_process_json(const Report* r, const bool* sections)
{
   const DcfgProcess* p = r->p;

   printf("    { \"process_id\": %" PRIu64 ",\n      \"program\": ", p->id);
   print_json_string(program_name(&r->g));
   printf(",\n      \"thread\": ");
   if (r->thread == DCFG_ALL_THREADS)
      printf("null");
   else
      printf("%" PRIu32, r->thread);
   printf(",\n      \"instructions\": %" PRIu64
          ",\n      \"instructions_per_thread\": [", r->total);
   for (uint32_t i = 0; i < p->n_threads; i++)
      printf("%s%" PRIu64, i > 0 ? ", " : "", dcfg_process_instrs(p, i));
   printf("],\n      \"n_images\": %" PRIu32 ", \"n_routines\": %" PRIu32
          ", \"n_loops\": %" PRIu32 ", \"n_blocks\": %" PRIu32
          ", \"n_edges\": %" PRIu32, p->n_images, p->n_routines, p->n_loops,
          p->n_blocks, p->n_edges);
   for (Section s = 0; s < N_SECTIONS; s++) {
      uint32_t n;
      Table*   t;
      if (!sections[s])
         continue;
      t = make_table(r, s, &n);
      printf(",\n      \"%s\": ", section_names[s]);
      tab_print(t, FORM_JSON, 6);
      tab_free(t);
   }
   printf(" }");
}

static void print_process(const Report* r, const bool* sections)
{
   static const Section order[] = { IMAGES, LOOPS, ROUTINES, BLOCKS, EDGES };
   bool                 first = true;

   if (r->form == FORM_JSON) {
      print_process_json(r, sections);
      return;
   }
   if (r->form == FORM_TEXT)
      print_totals(r);
   for (size_t i = 0; i < N_SECTIONS; i++) {
      uint32_t n;
      Table*   t;
      if (!sections[order[i]])
         continue;
      t = make_table(r, order[i], &n);
      if (r->form == FORM_TEXT)
         print_title(order[i], n, tab_rows(t));
      else if (!first)
         putchar('\n');
      if (n > 0 || r->form != FORM_TEXT)
         tab_print(t, r->form, 0);
      first = false;
      tab_free(t);
      text_forget();
   }
}

static void report(Report* r, const Select* what, const bool* sections)
{
   r->selected = selection_new(&r->g, what);
   r->total = dcfg_process_instrs(r->p, r->thread);
   print_process(r, sections);
   selection_free(r->selected);
}

static int run(int argc, char** argv)
{
   Select      what = SELECT_ALL;
   bool        sections[N_SECTIONS] = { false }, csv = false, json = false;
   bool        wide = false;
   Report      r = { .top = 10 };
   const Opt   opts[] = {
      { "loops", OPT_FLAG, &sections[LOOPS] },
      { "routines", OPT_FLAG, &sections[ROUTINES] },
      { "blocks", OPT_FLAG, &sections[BLOCKS] },
      { "edges", OPT_FLAG, &sections[EDGES] },
      { "images", OPT_FLAG, &sections[IMAGES] },
      { "top", OPT_COUNT, &r.top }, SELECT_OPTIONS(&what),
      { "csv", OPT_FLAG, &csv },
      { "json", OPT_FLAG, &json }, { "wide", OPT_FLAG, &wide },
      { "mangled", OPT_FLAG, &r.g.mangled }
   };
   const char* file;
   Dcfg*       d;
   bool        any = false;

   if (parse_args(&report_command, opts, sizeof(opts) / sizeof(opts[0]), argc,
                  argv, &file, 0, 1) == 0)
      default_files(&report_command, &file, false);
   if (csv && json)
      die("--csv or --json, not both");
   r.form = csv ? FORM_CSV : json ? FORM_JSON : FORM_TEXT;
   r.name_width = wide ? 0 : 40;
   r.source_width = wide ? 0 : 28;
   d = load_dcfg(file);
   if (d->n_processes == 0)
      die("there is no process in %s", file);
   r.g.d = d;
   r.thread = need_thread(d, what.thread);
   for (int i = 0; i < N_SECTIONS; i++)
      any = any || sections[i];
   for (int i = 0; !any && i < N_SECTIONS; i++)
      sections[i] = true;
   if (r.form == FORM_JSON)
      printf("{ \"processes\": [\n");
   for (uint32_t i = 0; i < d->n_processes; i++) {
      r.p = r.g.p = dcfg_process(d, i);
      if (i > 0)
         fputs(r.form == FORM_JSON ? ",\n" : "\n", stdout);
      report(&r, &what, sections);
      text_forget();
   }
   if (r.form == FORM_JSON)
      printf("\n] }\n");
   dcfg_free(d);
   return STATUS_OK;
}

const Command report_command = {
   "report", "[FILE]", "where the time goes: loops, routines, blocks, edges",
   "Prints what a DCFG says about a run: totals, and the hottest images,\n"
   "loops, routines, basic blocks and edges, by instructions executed.\n"
   "\n"
   "  share         of all instructions of the process (or of the thread)\n"
   "  entries       how often a loop was entered from outside\n"
   "  iterations    executions of its head; per entry: how long it ran\n"
   "  depth         1 for an outermost loop; its numbers have those inside\n"
   "  calls         of a routine; its instructions are its own, without those\n"
   "                of routines that it called; per entry: however it was\n"
   "                entered, also by a jump\n"
   "  from, to      NAME+0x12 is 0x12 bytes behind the function's beginning;\n"
   "                without symbols the name is the image's\n"
   "\n"
   "options:\n"
   "  --loops --routines --blocks --edges --images\n"
   "                     only these sections; all without any of them\n"
   "  --top=N            N rows in a section; 0: all [10]\n"
   SELECT_HELP
   "  --thread=N         what thread N did, counted from 0\n"
   "  --wide             long names in full\n"
   "  --mangled          names of C++ and Rust as the linker sees them\n"
   "  --csv, --json      for programs: plain numbers, and ids of the nodes\n"
   "\n"
   "examples:\n"
   "  dcfg report --loops --top=20 out.json\n"
   "  dcfg report --routines --image=libc out.json\n"
   "  dcfg report --json --blocks --top=0 out.json | jq .processes[].blocks\n",
   run
};

/*--------------------------------------------------------------------*/
/*--- end                                                        ---*/
/*--------------------------------------------------------------------*/
