/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tables and objects of a DCFG. */

/* Owns: which tables and objects a DCFG has (its specification, part 2), and
   the arrays of a Model as they fill.  Handed: rows by walk.c.  Taken
   by: load.c.

   The order of tables is free: a row may refer to an id that comes later.
   Until all has been read, what will be an index is an id, 0 for none, and
   addresses wait for their image's LOAD_ADDR. */

#include "lib/graph/model.h"
#include "lib/json/place.h"
#include "lib/graph/shapes.h"

#include <stdlib.h>
#include <string.h>

#define ID     1, 0x7fffffff
#define ID_0   0, 0x7fffffff
#define BITS32 0, UINT32_MAX
#define BITS64 0, UINT64_MAX

static Process* last_process(Load* l)
{
   return &ELEM(l->m->processes, Process, l->m->processes.n - 1);
}

/* The last element of one of its arrays. */
#define LAST(array, Type) (&ELEM(array, Type, (array).n - 1))

/*------------------------------------------------------------*/
/*--- Names                                                ---*/
/*------------------------------------------------------------*/

static const char* keep_text(Load* l, const Frame* f, uint32_t field)
{
   return arena_string(l->job, &l->m->strings, text(l->walk, f, field),
                       length(f, field));
}

enum { FILE_ID, FILE_NAME };

static bool close_file(void* arg, const Frame* f)
{
   Load*         l = arg;
   DcfgFileName* file = array_add(l->job, &l->m->files, sizeof(*file));

   if (file == NULL)
      return false;
   file->id = (uint32_t)number(f, FILE_ID);
   file->name = keep_text(l, f, FILE_NAME);
   return file->name != NULL;
}

static const Field file_fields[] = {
   { "FILE_NAME_ID", V_INT, F_NEEDED, ID, NULL },
   { "FILE_NAME", V_STRING, F_NEEDED, 0, 0, NULL }
};
static const Shape files = { V_TABLE, false, 2, file_fields,
                             NULL, close_file, NULL };

enum { TYPE_ID, TYPE_NAME };

static bool close_edge_type(void* arg, const Frame* f)
{
   Load*             l = arg;
   DcfgEdgeTypeName* t = array_add(l->job, &l->m->edge_types, sizeof(*t));

   if (t == NULL)
      return false;
   t->id = (uint32_t)number(f, TYPE_ID);
   t->name = keep_text(l, f, TYPE_NAME);
   if (t->name == NULL)
      return false;
   t->type = DCFG_EDGE_ENTRY;
   while (t->type < DCFG_EDGE_OTHER
          && strcmp(t->name, dcfg_edge_type_text(t->type)) != 0)
      t->type++;
   return true;
}

static const Field edge_type_fields[] = {
   { "EDGE_TYPE_ID", V_INT, F_NEEDED, ID, NULL },
   { "EDGE_TYPE", V_STRING, F_NEEDED, 0, 0, NULL }
};
static const Shape edge_types = { V_TABLE, false, 2, edge_type_fields,
                                  NULL, close_edge_type, NULL };

enum { SPECIAL_ID, SPECIAL_NAME };

static bool close_special_node(void* arg, const Frame* f)
{
   Load*            l = arg;
   DcfgSpecialNode* s = array_add(l->job, &l->m->special_nodes, sizeof(*s));

   if (s == NULL)
      return false;
   s->id = (uint32_t)number(f, SPECIAL_ID);
   s->name = keep_text(l, f, SPECIAL_NAME);
   if (s->name == NULL)
      return false;
   s->kind = strcmp(s->name, "START") == 0 ? DCFG_NODE_START
           : strcmp(s->name, "END") == 0 ? DCFG_NODE_END
           : strcmp(s->name, "UNKNOWN") == 0 ? DCFG_NODE_UNKNOWN
           : DCFG_NODE_OTHER;
   return true;
}

static const Field special_node_fields[] = {
   { "NODE_ID", V_INT, F_NEEDED, ID, NULL },
   { "NODE_NAME", V_STRING, F_NEEDED, 0, 0, NULL }
};
static const Shape special_nodes = { V_TABLE, false, 2, special_node_fields,
                                     NULL, close_special_node, NULL };

/*------------------------------------------------------------*/
/*--- Routines and loops                                   ---*/
/*------------------------------------------------------------*/

/* The ids of a list behind those that are in TO already.  Those that the
   walk did not like are 0. */
static bool keep_ids(Load* l, Array* to, const Frame* f, uint32_t field)
{
   size_t          n = length(f, field);
   const uint64_t* from = list(l->walk, f, field);
   uint32_t*       ids;

   if (n == 0)
      return true;
   ids = array_add_n(l->job, to, sizeof(*ids), n);
   if (ids == NULL)
      return false;
   for (size_t i = 0; i < n; i++)
      ids[i] = (uint32_t)from[i];
   return true;
}

/* What some readers cannot take, at the place of the walk. */
static void odd(const Load* l, const char* rule, const char* what)
{
   char place[PLACE_SIZE];

   if (job_listened(l->job))
      job_problem(l->job, DCFG_PROBLEM_SURFACE, false, rule,
                  walk_place(l->walk, place), "%s", what);
}

enum { LOOP_HEAD, LOOP_BACKS, LOOP_NODES, LOOP_PARENT };

static bool close_loop(void* arg, const Frame* f)
{
   Load*     l = arg;
   Process*  p = last_process(l);
   DcfgLoop* loop = array_add(l->job, &p->loops, sizeof(*loop));

   if (loop == NULL)
      return false;
   loop->head = (uint32_t)number(f, LOOP_HEAD);
   loop->parent = (uint32_t)number(f, LOOP_PARENT);
   if (has(f, LOOP_PARENT) && loop->parent == 0)
      odd(l, "loop-columns", "an outermost loop with a parent column");
   loop->routine = (uint32_t)(p->routines.n - 1);
   loop->first_back = (uint32_t)p->backs.n;
   loop->n_backs = (uint32_t)length(f, LOOP_BACKS);
   loop->first_node = (uint32_t)p->loop_nodes.n;
   loop->n_nodes = (uint32_t)length(f, LOOP_NODES);
   return keep_ids(l, &p->backs, f, LOOP_BACKS)
          && keep_ids(l, &p->loop_nodes, f, LOOP_NODES);
}

static const Field loop_fields[] = {
   { "LOOP_HEAD_NODE_ID", V_INT, F_NEEDED, ID, NULL },
   { "LOOP_BACK_EDGE_SOURCE_NODE_IDS", V_INTS, F_MUST, ID, NULL },
   { "LOOP_NODE_IDS", V_INTS, F_MUST, ID, NULL },
   { "PARENT_LOOP_HEAD_NODE_ID", V_INT, 0, ID_0, NULL }
};
static const Shape loops = { V_TABLE, false, 4, loop_fields,
                             NULL, close_loop, NULL };

enum { RN_NODE, RN_IDOM };

static bool close_routine_node(void* arg, const Frame* f)
{
   Load*     l = arg;
   Process*  p = last_process(l);
   uint32_t* node = array_add(l->job, &p->routine_nodes, sizeof(*node));
   uint32_t* idom = array_add(l->job, &p->idoms, sizeof(*idom));

   if (node == NULL || idom == NULL)
      return false;
   *node = (uint32_t)number(f, RN_NODE);
   *idom = (uint32_t)number(f, RN_IDOM);
   return true;
}

static const Field routine_node_fields[] = {
   { "NODE_ID", V_INT, F_NEEDED, ID, NULL },
   { "IDOM_NODE_ID", V_INT, F_MUST, ID, NULL }
};
static const Shape routine_nodes = { V_TABLE, false, 2, routine_node_fields,
                                     NULL, close_routine_node, NULL };

enum { ROUTINE_ENTRY, ROUTINE_EXITS, ROUTINE_NODES, ROUTINE_LOOPS };

static bool open_routine(void* arg, const Frame* f)
{
   Load*        l = arg;
   Process*     p = last_process(l);
   DcfgRoutine* r = array_add(l->job, &p->routines, sizeof(*r));

   (void)f;
   if (r == NULL)
      return false;
   r->image = (uint32_t)(p->images.n - 1);
   r->first_node = (uint32_t)p->routine_nodes.n;
   r->first_exit = (uint32_t)p->exits.n;
   r->first_loop = (uint32_t)p->loops.n;
   return true;
}

static bool close_routine(void* arg, const Frame* f)
{
   Load*        l = arg;
   Process*     p = last_process(l);
   DcfgRoutine* r = LAST(p->routines, DcfgRoutine);

   r->entry = (uint32_t)number(f, ROUTINE_ENTRY);
   r->n_nodes = (uint32_t)p->routine_nodes.n - r->first_node;
   r->n_loops = (uint32_t)p->loops.n - r->first_loop;
   if (has(f, ROUTINE_LOOPS) && r->n_loops == 0)
      odd(l, "loops-empty", "LOOPS without a loop");
   r->n_exits = (uint32_t)length(f, ROUTINE_EXITS);
   return keep_ids(l, &p->exits, f, ROUTINE_EXITS);
}

static const Field routine_fields[] = {
   { "ENTRY_NODE_ID", V_INT, F_NEEDED, ID, NULL },
   { "EXIT_NODE_IDS", V_INTS, F_MUST, ID, NULL },
   { "NODES", V_TABLE, F_MUST, 0, 0, &routine_nodes },
   { "LOOPS", V_TABLE, 0, 0, 0, &loops }
};
static const Shape routines = { V_TABLE, true, 4, routine_fields,
                                open_routine, close_routine, NULL };

/*------------------------------------------------------------*/
/*--- Images                                               ---*/
/*------------------------------------------------------------*/

enum { SYMBOL_NAME, SYMBOL_ADDR, SYMBOL_SIZE };

static bool close_symbol(void* arg, const Frame* f)
{
   Load*       l = arg;
   DcfgSymbol* s = array_add(l->job, &last_process(l)->symbols, sizeof(*s));

   if (s == NULL)
      return false;
   s->name = keep_text(l, f, SYMBOL_NAME);
   s->addr = number(f, SYMBOL_ADDR);
   s->size = number(f, SYMBOL_SIZE);
   return s->name != NULL;
}

static const Field symbol_fields[] = {
   { "NAME", V_STRING, F_NEEDED, 0, 0, NULL },
   { "ADDR_OFFSET", V_INT, F_NEEDED | F_HEX, BITS64, NULL },
   { "SIZE", V_INT, F_MUST, BITS64, NULL }
};
static const Shape symbols = { V_TABLE, false, 3, symbol_fields,
                               NULL, close_symbol, NULL };

enum { SOURCE_FILE, SOURCE_LINE, SOURCE_ADDR, SOURCE_SIZE, SOURCE_INSTRS };

static bool close_source(void* arg, const Frame* f)
{
   Load*       l = arg;
   DcfgSource* s = array_add(l->job, &last_process(l)->sources, sizeof(*s));

   if (s == NULL)
      return false;
   s->file = (uint32_t)number(f, SOURCE_FILE);
   s->line = (uint32_t)number(f, SOURCE_LINE);
   s->addr = number(f, SOURCE_ADDR);
   s->size = number(f, SOURCE_SIZE);
   s->n_instrs = (uint32_t)number(f, SOURCE_INSTRS);
   return true;
}

static const Field source_fields[] = {
   { "FILE_NAME_ID", V_INT, F_NEEDED, ID, NULL },
   { "LINE_NUM", V_INT, F_NEEDED, BITS32, NULL },
   { "ADDR_OFFSET", V_INT, F_NEEDED | F_HEX, BITS64, NULL },
   { "SIZE", V_INT, F_NEEDED, BITS64, NULL },
   { "NUM_INSTRS", V_INT, F_MUST, BITS32, NULL }
};
static const Shape sources = { V_TABLE, false, 5, source_fields,
                               NULL, close_source, NULL };

enum { BLOCK_ID, BLOCK_ADDR, BLOCK_SIZE, BLOCK_INSTRS, BLOCK_LAST,
       BLOCK_COUNT };

static bool close_block(void* arg, const Frame* f)
{
   Load*     l = arg;
   Process*  p = last_process(l);
   DcfgNode* n = array_add(l->job, &p->nodes, sizeof(*n));

   if (n == NULL)
      return false;
   n->id = (uint32_t)number(f, BLOCK_ID);
   n->kind = DCFG_NODE_BLOCK;
   n->image = (uint32_t)(p->images.n - 1);
   n->addr = number(f, BLOCK_ADDR);
   n->size = (uint32_t)number(f, BLOCK_SIZE);
   n->n_instrs = (uint32_t)number(f, BLOCK_INSTRS);
   n->last_offset = (uint32_t)number(f, BLOCK_LAST);
   n->count = has(f, BLOCK_COUNT) ? number(f, BLOCK_COUNT) : DCFG_NO_COUNT;
   n->routine = n->loop = n->idom = DCFG_NONE;
   return true;
}

static const Field block_fields[] = {
   { "NODE_ID", V_INT, F_NEEDED, ID, NULL },
   { "ADDR_OFFSET", V_INT, F_NEEDED | F_HEX, BITS64, NULL },
   { "SIZE", V_INT, F_NEEDED, BITS32, NULL },
   { "NUM_INSTRS", V_INT, F_NEEDED, BITS32, NULL },
   { "LAST_INSTR_OFFSET", V_INT, F_MUST, BITS32, NULL },
   { "COUNT", V_INT, 0, 0, UINT64_MAX - 1, NULL }
};
static const Shape blocks = { V_TABLE, false, 6, block_fields,
                              NULL, close_block, NULL };

enum { DATA_FILE, DATA_BUILD_ID, DATA_CODE_HASH, DATA_SYMBOLS, DATA_SOURCES,
       DATA_BLOCKS, DATA_ROUTINES };

static bool close_image_data(void* arg, const Frame* f)
{
   Load*          l = arg;
   const Process* p = last_process(l);
   DcfgImage*     im = LAST(p->images, DcfgImage);

   im->file = (uint32_t)number(f, DATA_FILE);
   if (has(f, DATA_ROUTINES) && p->nodes.n > im->first_node
       && p->routines.n == im->first_routine)
      odd(l, "routines-empty", "ROUTINES without one, for an image with "
          "blocks");
   if (has(f, DATA_BUILD_ID))
      im->build_id = keep_text(l, f, DATA_BUILD_ID);
   if (has(f, DATA_CODE_HASH))
      im->code_hash = keep_text(l, f, DATA_CODE_HASH);
   return (im->build_id != NULL || !has(f, DATA_BUILD_ID))
          && (im->code_hash != NULL || !has(f, DATA_CODE_HASH));
}

static const Field image_data_fields[] = {
   { "FILE_NAME_ID", V_INT, 0, ID, NULL },
   { "BUILD_ID", V_STRING, 0, 0, 0, NULL },
   { "CODE_HASH", V_STRING, 0, 0, 0, NULL },
   { "SYMBOLS", V_TABLE, 0, 0, 0, &symbols },
   { "SOURCE_DATA", V_TABLE, 0, 0, 0, &sources },
   { "BASIC_BLOCKS", V_TABLE, 0, 0, 0, &blocks },
   { "ROUTINES", V_TABLE, 0, 0, 0, &routines }
};
static const Shape image_data = { V_OBJECT, false, 7, image_data_fields,
                                  NULL, close_image_data, NULL };

enum { IMAGE_ID, IMAGE_LOAD, IMAGE_SIZE, IMAGE_DATA };

static bool open_image(void* arg, const Frame* f)
{
   Load*      l = arg;
   Process*   p = last_process(l);
   DcfgImage* im = array_add(l->job, &p->images, sizeof(*im));

   (void)f;
   if (im == NULL)
      return false;
   im->first_symbol = (uint32_t)p->symbols.n;
   im->first_source = (uint32_t)p->sources.n;
   im->first_node = (uint32_t)p->nodes.n;
   im->first_routine = (uint32_t)p->routines.n;
   return true;
}

/* An offset becomes an address. */
static bool add_load(Load* l, uint64_t* addr, uint64_t size, uint64_t load,
                     const char* what)
{
   char place[PLACE_SIZE];

   if (*addr <= UINT64_MAX - load && *addr + load <= UINT64_MAX - size) {
      *addr += load;
      return true;
   }
   *addr = add_capped(*addr, load);
   return job_problem(l->job, DCFG_PROBLEM_RULE, true, "address",
                      walk_place(l->walk, place),
                      "a %s that goes beyond 64 bits", what);
}

static bool close_image(void* arg, const Frame* f)
{
   Load*      l = arg;
   Process*   p = last_process(l);
   DcfgImage* im = LAST(p->images, DcfgImage);
   uint64_t   load = number(f, IMAGE_LOAD);
   uint64_t   base = load;

   im->id = (uint32_t)number(f, IMAGE_ID);
   im->load_addr = load;
   im->size = number(f, IMAGE_SIZE);
   im->n_symbols = (uint32_t)p->symbols.n - im->first_symbol;
   im->n_sources = (uint32_t)p->sources.n - im->first_source;
   im->n_nodes = (uint32_t)p->nodes.n - im->first_node;
   im->n_routines = (uint32_t)p->routines.n - im->first_routine;
   if (!add_load(l, &base, im->size, 0, "size"))
      return false;
   for (uint32_t i = im->first_symbol; i < p->symbols.n; i++) {
      DcfgSymbol* s = &ELEM(p->symbols, DcfgSymbol, i);
      if (!add_load(l, &s->addr, s->size, load, "symbol"))
         return false;
   }
   for (uint32_t i = im->first_source; i < p->sources.n; i++) {
      DcfgSource* s = &ELEM(p->sources, DcfgSource, i);
      if (!add_load(l, &s->addr, s->size, load, "source row"))
         return false;
   }
   for (uint32_t i = im->first_node; i < p->nodes.n; i++) {
      DcfgNode* n = &ELEM(p->nodes, DcfgNode, i);
      if (!add_load(l, &n->addr, n->size, load, "block"))
         return false;
   }
   return true;
}

static const Field image_fields[] = {
   { "IMAGE_ID", V_INT, F_NEEDED, ID_0, NULL },
   { "LOAD_ADDR", V_INT, F_NEEDED | F_HEX, BITS64, NULL },
   { "SIZE", V_INT, F_NEEDED, BITS64, NULL },
   { "IMAGE_DATA", V_OBJECT, F_MUST | F_SILENT, 0, 0, &image_data }
};
static const Shape images = { V_TABLE, true, 4, image_fields,
                              open_image, close_image, NULL };

/*------------------------------------------------------------*/
/*--- Processes                                            ---*/
/*------------------------------------------------------------*/

enum { EDGE_ID, EDGE_SOURCE, EDGE_TARGET, EDGE_TYPE, EDGE_COUNTS };

static bool close_edge(void* arg, const Frame* f)
{
   Load*           l = arg;
   Process*        p = last_process(l);
   DcfgEdge*       e = array_add(l->job, &p->edges, sizeof(*e));
   size_t          n = length(f, EDGE_COUNTS);
   const uint64_t* counts = list(l->walk, f, EDGE_COUNTS);

   if (e == NULL)
      return false;
   e->id = (uint32_t)number(f, EDGE_ID);
   e->source = (uint32_t)number(f, EDGE_SOURCE);
   e->target = (uint32_t)number(f, EDGE_TARGET);
   e->type_name = (uint32_t)number(f, EDGE_TYPE);
   e->first_count = p->counts.n;
   e->n_counts = (uint32_t)n;
   for (size_t i = 0; i < n; i++)
      e->count = add_capped(e->count, counts[i]);
   if (n > 0) {
      uint64_t* to = array_add_n(l->job, &p->counts, sizeof(*to), n);
      if (to == NULL)
         return false;
      memcpy(to, counts, n * sizeof(*to));
   }
   return true;
}

static const Field edge_fields[] = {
   { "EDGE_ID", V_INT, F_NEEDED, ID, NULL },
   { "SOURCE_NODE_ID", V_INT, F_NEEDED, ID, NULL },
   { "TARGET_NODE_ID", V_INT, F_NEEDED, ID, NULL },
   { "EDGE_TYPE_ID", V_INT, F_NEEDED, ID, NULL },
   { "COUNT_PER_THREAD", V_INTS, F_NEEDED, BITS64, NULL }
};
static const Shape edges = { V_TABLE, false, 5, edge_fields,
                             NULL, close_edge, NULL };

enum { CONTINUED_THREAD, CONTINUED_TYPE };

static bool close_continued(void* arg, const Frame* f)
{
   Load*          l = arg;
   DcfgContinued* c = array_add(l->job, &last_process(l)->continued,
                                sizeof(*c));

   if (c == NULL)
      return false;
   c->thread = (uint32_t)number(f, CONTINUED_THREAD);
   c->type = (uint32_t)number(f, CONTINUED_TYPE);
   return true;
}

static const Field continued_fields[] = {
   { "THREAD_ID", V_INT, F_NEEDED, BITS32, NULL },
   { "EDGE_TYPE_ID", V_INT, F_NEEDED, ID_0, NULL }
};
static const Shape continued = { V_TABLE, false, 2, continued_fields,
                                 NULL, close_continued, NULL };

enum { LATE_IMAGE, LATE_OFFSET, LATE_TARGET };

static bool close_late_bypass(void* arg, const Frame* f)
{
   Load*           l = arg;
   DcfgLateBypass* b = array_add(l->job, &last_process(l)->bypasses,
                                 sizeof(*b));

   if (b == NULL)
      return false;
   b->image_number = (uint32_t)number(f, LATE_IMAGE);
   b->offset = number(f, LATE_OFFSET);
   b->target = (uint32_t)number(f, LATE_TARGET);
   return true;
}

static const Field late_bypass_fields[] = {
   { "IMAGE_NUM", V_INT, F_NEEDED, BITS32, NULL },
   { "ADDR_OFFSET", V_INT, F_NEEDED | F_HEX, BITS64, NULL },
   { "TARGET_NODE_ID", V_INT, F_NEEDED, ID, NULL }
};
static const Shape late_bypasses = { V_TABLE, false, 3, late_bypass_fields,
                                     NULL, close_late_bypass, NULL };

enum { PART_NUMBER, PART_FIRST, PART_PRECEDING, PART_IMAGES, PART_CONTINUED,
       PART_BYPASSES };

static bool close_part(void* arg, const Frame* f)
{
   Load*           l = arg;
   Process*        p = last_process(l);
   size_t          n = length(f, PART_PRECEDING);
   const uint64_t* from = list(l->walk, f, PART_PRECEDING);

   p->part.number = (uint32_t)number(f, PART_NUMBER);
   p->part.first = (uint32_t)number(f, PART_FIRST);
   if (n > 0) {
      uint64_t* to = array_add_n(l->job, &p->preceding, sizeof(*to), n);
      if (to == NULL)
         return false;
      memcpy(to, from, n * sizeof(*to));
   }
   return keep_ids(l, &p->image_numbers, f, PART_IMAGES);
}

static const Field part_fields[] = {
   { "PART_NUM", V_INT, F_NEEDED, ID, NULL },
   { "FIRST_PART_NUM", V_INT, F_NEEDED, ID, NULL },
   { "PRECEDING_INSTR_COUNT_PER_THREAD", V_INTS, F_NEEDED, BITS64, NULL },
   { "IMAGE_NUMS", V_INTS, F_NEEDED, BITS32, NULL },
   { "CONTINUED_THREADS", V_TABLE, F_NEEDED, 0, 0, &continued },
   { "LATE_BYPASSES", V_TABLE, F_NEEDED, 0, 0, &late_bypasses }
};
static const Shape run_part = { V_OBJECT, false, 6, part_fields,
                            NULL, close_part, NULL };

enum { PD_THREADS, PD_COUNT, PD_IMAGES, PD_EDGES, PD_PART };

static bool close_process_data(void* arg, const Frame* f)
{
   Load*    l = arg;
   Process* p = last_process(l);
   size_t   n = length(f, PD_THREADS);

   p->has_instr_count = has(f, PD_COUNT);
   p->shown.instr_count = number(f, PD_COUNT);
   if (n > 0) {
      uint64_t* to = array_add_n(l->job, &p->threads, sizeof(*to), n);
      if (to == NULL)
         return false;
      memcpy(to, list(l->walk, f, PD_THREADS), n * sizeof(*to));
   }
   return true;
}

static const Field process_data_fields[] = {
   { "INSTR_COUNT_PER_THREAD", V_INTS, F_MUST, BITS64, NULL },
   { "INSTR_COUNT", V_INT, F_MUST, BITS64, NULL },
   { "IMAGES", V_TABLE, F_MUST, 0, 0, &images },
   { "EDGES", V_TABLE, 0, 0, 0, &edges },
   { "PART", V_OBJECT, 0, 0, 0, &run_part }
};
static const Shape process_data = { V_OBJECT, false, 5, process_data_fields,
                                    NULL, close_process_data, NULL };

enum { PROCESS_ID, PROCESS_DATA };

static bool open_process(void* arg, const Frame* f)
{
   Load* l = arg;

   (void)f;
   return array_add(l->job, &l->m->processes, sizeof(Process)) != NULL;
}

static bool close_process(void* arg, const Frame* f)
{
   last_process(arg)->shown.id = number(f, PROCESS_ID);
   return true;
}

static const Field process_fields[] = {
   { "PROCESS_ID", V_INT, F_MUST, BITS64, NULL },
   { "PROCESS_DATA", V_OBJECT, F_MUST | F_SILENT, 0, 0, &process_data }
};
static const Kin trace = {
   "this is a DCFG-trace, not a DCFG",
   { "STRING_DICTIONARY", "TRANSITION_TABLE", "THREAD_DATA" }
};
static const Shape processes = { V_TABLE, true, 2, process_fields,
                                 open_process, close_process, &trace };

/*------------------------------------------------------------*/
/*--- The whole                                            ---*/
/*------------------------------------------------------------*/

enum { TOP_MAJOR, TOP_MINOR, TOP_FILES, TOP_TYPES, TOP_SPECIAL,
       TOP_PROCESSES };

static bool close_top(void* arg, const Frame* f)
{
   Load* l = arg;
   Dcfg* d = &l->m->shown;

   d->major_version = (uint32_t)number(f, TOP_MAJOR);
   d->minor_version = (uint32_t)number(f, TOP_MINOR);
   for (uint32_t i = TOP_FILES; i <= TOP_SPECIAL; i++)
      if (!has(f, i))
         odd(l, "missing-table", f->shape->fields[i].name);
   return true;
}

static const Field top_fields[] = {
   { "MAJOR_VERSION", V_INT, F_NEEDED | F_VERSION, BITS32, NULL },
   { "MINOR_VERSION", V_INT, F_MUST, BITS32, NULL },
   { "FILE_NAMES", V_TABLE, 0, 0, 0, &files },
   { "EDGE_TYPES", V_TABLE, 0, 0, 0, &edge_types },
   { "SPECIAL_NODES", V_TABLE, 0, 0, 0, &special_nodes },
   { "PROCESSES", V_TABLE, F_NEEDED, 0, 0, &processes }
};
const Shape dcfg_shape = { V_OBJECT, true, 6, top_fields,
                           NULL, close_top, NULL };
