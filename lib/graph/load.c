/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   How a DCFG comes from its file into memory. */

/* Owns: loading a DCFG, from opening its file to freeing it; the tables and
   objects of the format (its specification, part 2), and those of
   lib/dcfg_parts.h.  Handed: a path or bytes in memory; rows and objects by
   json.c.

   Loading has two halves.  While text is read, the functions below fill the
   arrays of a Model.  There is a Shape for each table and object, and a
   function that stores a row when the row ends.  Then resolve.c connects the
   arrays.

   The order of tables is free: a row may refer to an id that comes later.  So
   until everything has been read, references are ids, 0 for none, and addresses
   of an image lack its LOAD_ADDR until the image ends.

   Lists of one row, such as the nodes of a routine, go to one array for all
   rows, and the row has the place of its first element.  These arrays move
   while they grow. */

#include "lib/graph/model.h"

#include "format/dcfg_tables.h"
#include "format/order.h"
#include "lib/json/json.h"

#include <stdlib.h>
#include <string.h>

/*--- What the shapes share                                ---*/

/* Load: the argument of the shapes' functions. */
typedef
   struct {
      Model* m;
      Job*   job;
      Walk*  walk;
      bool   head;              // read no further than to the first images
      bool   enough;            // so far
   }
   Load;

static inline Process* last_process(Load* l)
{
   return &ELEM(l->m->processes, Process, l->m->processes.n - 1);
}

static inline const char* keep_text(Load* l, const Frame* frame, uint32_t field)
{
   return arena_string(l->job, &l->m->strings, text(l->walk, frame, field),
                       length(frame, field));
}

/* Report at the walk's place something that some readers cannot take. */
static inline void odd(const Load* l, const char* rule, const char* what)
{
   char place[PLACE_SIZE];

   if (job_listened(l->job))
      job_problem(l->job, DCFG_PROBLEM_SURFACE, false, rule,
                  walk_place(l->walk, place), "%s", what);
}

/* The last element of an array. */
#define LAST(array, Type) (&ELEM(array, Type, (array).n - 1))

/* Append the ids of a list to TO.  Ids that the walk has refused are 0. */
static bool keep_ids(Load* l, Array* to, const Frame* frame, uint32_t field)
{
   size_t          n = length(frame, field);
   const uint64_t* from = list(l->walk, frame, field);
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

/*--- Routines and loops                                   ---*/

enum { LOOP_HEAD, LOOP_BACKS, LOOP_NODES, LOOP_PARENT };

static bool close_loop(void* arg, const Frame* frame)
{
   Load*     l = arg;
   Process*  p = last_process(l);
   DcfgLoop* loop = array_add(l->job, &p->loops, sizeof(*loop));

   if (loop == NULL)
      return false;
   loop->head = (uint32_t)number(frame, LOOP_HEAD);
   loop->parent = (uint32_t)number(frame, LOOP_PARENT);
   if (has(frame, LOOP_PARENT) && loop->parent == 0)
      odd(l, "loop-columns", "an outermost loop with a parent column");
   loop->routine = (uint32_t)(p->routines.n - 1);
   loop->first_back = (uint32_t)p->backs.n;
   loop->n_backs = (uint32_t)length(frame, LOOP_BACKS);
   loop->first_node = (uint32_t)p->loop_nodes.n;
   loop->n_nodes = (uint32_t)length(frame, LOOP_NODES);
   return keep_ids(l, &p->backs, frame, LOOP_BACKS)
          && keep_ids(l, &p->loop_nodes, frame, LOOP_NODES);
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

static bool close_routine_node(void* arg, const Frame* frame)
{
   Load*     l = arg;
   Process*  p = last_process(l);
   uint32_t* node = array_add(l->job, &p->routine_nodes, sizeof(*node));
   uint32_t* idom = array_add(l->job, &p->idoms, sizeof(*idom));

   if (node == NULL || idom == NULL)
      return false;
   *node = (uint32_t)number(frame, RN_NODE);
   *idom = (uint32_t)number(frame, RN_IDOM);
   return true;
}

static const Field routine_node_fields[] = {
   { "NODE_ID", V_INT, F_NEEDED, ID, NULL },
   { "IDOM_NODE_ID", V_INT, F_MUST, ID, NULL }
};
static const Shape routine_nodes = { V_TABLE, false, 2, routine_node_fields,
                                     NULL, close_routine_node, NULL };

enum { ROUTINE_ENTRY, ROUTINE_EXITS, ROUTINE_NODES, ROUTINE_LOOPS };

static bool open_routine(void* arg, const Frame* frame)
{
   Load*        l = arg;
   Process*     p = last_process(l);
   DcfgRoutine* r = array_add(l->job, &p->routines, sizeof(*r));

   (void)frame;
   if (r == NULL)
      return false;
   r->image = (uint32_t)(p->images.n - 1);
   r->first_node = (uint32_t)p->routine_nodes.n;
   r->first_exit = (uint32_t)p->exits.n;
   r->first_loop = (uint32_t)p->loops.n;
   return true;
}

static bool close_routine(void* arg, const Frame* frame)
{
   Load*        l = arg;
   Process*     p = last_process(l);
   DcfgRoutine* r = LAST(p->routines, DcfgRoutine);

   r->entry = (uint32_t)number(frame, ROUTINE_ENTRY);
   r->n_nodes = (uint32_t)p->routine_nodes.n - r->first_node;
   r->n_loops = (uint32_t)p->loops.n - r->first_loop;
   if (has(frame, ROUTINE_LOOPS) && r->n_loops == 0)
      odd(l, "loops-empty", "LOOPS without a loop");
   r->n_exits = (uint32_t)length(frame, ROUTINE_EXITS);
   return keep_ids(l, &p->exits, frame, ROUTINE_EXITS);
}

static const Field routine_fields[] = {
   { "ENTRY_NODE_ID", V_INT, F_NEEDED, ID, NULL },
   { "EXIT_NODE_IDS", V_INTS, F_MUST, ID, NULL },
   { "NODES", V_TABLE, F_MUST, 0, 0, &routine_nodes },
   { "LOOPS", V_TABLE, 0, 0, 0, &loops }
};
static const Shape routines = { V_TABLE, true, 4, routine_fields,
                                open_routine, close_routine, NULL };

/*--- Images                                               ---*/

enum { SYMBOL_NAME, SYMBOL_ADDR, SYMBOL_SIZE };

static bool close_symbol(void* arg, const Frame* frame)
{
   Load*       l = arg;
   DcfgSymbol* s = array_add(l->job, &last_process(l)->symbols, sizeof(*s));

   if (s == NULL)
      return false;
   s->name = keep_text(l, frame, SYMBOL_NAME);
   s->addr = number(frame, SYMBOL_ADDR);
   s->size = number(frame, SYMBOL_SIZE);
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

static bool close_source(void* arg, const Frame* frame)
{
   Load*       l = arg;
   DcfgSource* s = array_add(l->job, &last_process(l)->sources, sizeof(*s));

   if (s == NULL)
      return false;
   s->file = (uint32_t)number(frame, SOURCE_FILE);
   s->line = (uint32_t)number(frame, SOURCE_LINE);
   s->addr = number(frame, SOURCE_ADDR);
   s->size = number(frame, SOURCE_SIZE);
   s->n_instrs = (uint32_t)number(frame, SOURCE_INSTRS);
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

static bool close_block(void* arg, const Frame* frame)
{
   Load*     l = arg;
   Process*  p = last_process(l);
   DcfgNode* n = array_add(l->job, &p->nodes, sizeof(*n));

   if (n == NULL)
      return false;
   n->id = (uint32_t)number(frame, BLOCK_ID);
   n->kind = DCFG_NODE_BLOCK;
   n->image = (uint32_t)(p->images.n - 1);
   n->addr = number(frame, BLOCK_ADDR);
   n->size = (uint32_t)number(frame, BLOCK_SIZE);
   n->n_instrs = (uint32_t)number(frame, BLOCK_INSTRS);
   n->last_offset = (uint32_t)number(frame, BLOCK_LAST);
   n->count = has(frame, BLOCK_COUNT)
              ? number(frame, BLOCK_COUNT) : DCFG_NO_COUNT;
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
       DATA_BLOCKS, DATA_INSTR_SIZES, DATA_ROUTINES };

static bool is_unknown(const char* digits, uint32_t n)
{
   for (uint32_t i = 0; i < n; i++)
      if (digits[i] != '0')
         return false;
   return true;
}

/* Return the first block of IM that the N DIGITS do not fit; the number of
   nodes so far if they fit all. */
static size_t find_misfit(const Process* process, const DcfgImage* im,
                          const char* digits, size_t n)
{
   size_t at = 0, i;

   for (i = im->first_node; i < process->nodes.n; i++) {
      const DcfgNode* block = &ELEM(process->nodes, DcfgNode, i);
      if (block->n_instrs > n - at
          || (!is_unknown(digits + at, block->n_instrs)
              && !fits_instr_sizes(digits + at, block->n_instrs, block->size,
                                   block->last_offset)))
         return i;
      at += block->n_instrs;
   }
   return at == n ? i : process->nodes.n - 1;
}

/* Keep INSTR_SIZES if it fits the blocks. */
static bool keep_instr_sizes(Load* l, const Frame* frame, DcfgImage* im)
{
   const Process* p = last_process(l);
   size_t         misfit;
   char           place[PLACE_SIZE];

   misfit = p->nodes.n == im->first_node ? SIZE_MAX
            : find_misfit(p, im, text(l->walk, frame, DATA_INSTR_SIZES),
                          length(frame, DATA_INSTR_SIZES));
   if (misfit == p->nodes.n) {
      im->instr_sizes = keep_text(l, frame, DATA_INSTR_SIZES);
      return im->instr_sizes != NULL;
   }
   if (misfit == SIZE_MAX)
      return job_problem(l->job, DCFG_PROBLEM_RULE, true, "instr-sizes",
                         walk_place(l->walk, place),
                         "INSTR_SIZES of an image without blocks");
   return job_problem(l->job, DCFG_PROBLEM_RULE, true, "instr-sizes",
                      walk_place(l->walk, place),
                      "INSTR_SIZES that does not fit node %u",
                      ELEM(p->nodes, DcfgNode, misfit).id);
}

static bool close_image_data(void* arg, const Frame* frame)
{
   Load*          l = arg;
   const Process* p = last_process(l);
   DcfgImage*     im = LAST(p->images, DcfgImage);

   im->file = (uint32_t)number(frame, DATA_FILE);
   if (has(frame, DATA_ROUTINES) && p->nodes.n > im->first_node
       && p->routines.n == im->first_routine)
      odd(l, "routines-empty", "ROUTINES without one, for an image with "
          "blocks");
   if (has(frame, DATA_BUILD_ID))
      im->build_id = keep_text(l, frame, DATA_BUILD_ID);
   if (has(frame, DATA_CODE_HASH))
      im->code_hash = keep_text(l, frame, DATA_CODE_HASH);
   if (has(frame, DATA_INSTR_SIZES) && !keep_instr_sizes(l, frame, im))
      return false;
   return (im->build_id != NULL || !has(frame, DATA_BUILD_ID))
          && (im->code_hash != NULL || !has(frame, DATA_CODE_HASH));
}

static const Field image_data_fields[] = {
   { "FILE_NAME_ID", V_INT, 0, ID, NULL },
   { "BUILD_ID", V_STRING, 0, 0, 0, NULL },
   { "CODE_HASH", V_STRING, 0, 0, 0, NULL },
   { "SYMBOLS", V_TABLE, 0, 0, 0, &symbols },
   { "SOURCE_DATA", V_TABLE, 0, 0, 0, &sources },
   { "BASIC_BLOCKS", V_TABLE, 0, 0, 0, &blocks },
   { "INSTR_SIZES", V_STRING, 0, 0, 0, NULL },
   { "ROUTINES", V_TABLE, 0, 0, 0, &routines }
};
static const Shape image_data = { V_OBJECT, false, 8, image_data_fields,
                                  NULL, close_image_data, NULL };

enum { IMAGE_ID, IMAGE_LOAD, IMAGE_SIZE, IMAGE_DATA };

static bool close_process_data(void* arg, const Frame* frame);
static bool close_process(void* arg, const Frame* frame);

static bool open_image(void* arg, const Frame* frame)
{
   Load*      l = arg;
   Process*   p = last_process(l);
   DcfgImage* im = array_add(l->job, &p->images, sizeof(*im));

   if (l->head && !l->enough) {
      l->enough = close_process_data(arg, frame - 1)
                  && close_process(arg, frame - 2);
      return l->enough;
   }
   if (im == NULL)
      return false;
   im->first_symbol = (uint32_t)p->symbols.n;
   im->first_source = (uint32_t)p->sources.n;
   im->first_node = (uint32_t)p->nodes.n;
   im->first_routine = (uint32_t)p->routines.n;
   return true;
}

/* Turn an offset into an address. */
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

static bool close_image(void* arg, const Frame* frame)
{
   Load*      l = arg;
   Process*   p = last_process(l);
   DcfgImage* im = LAST(p->images, DcfgImage);
   uint64_t   load = number(frame, IMAGE_LOAD);
   uint64_t   base = load;

   im->id = (uint32_t)number(frame, IMAGE_ID);
   im->load_addr = load;
   im->size = number(frame, IMAGE_SIZE);
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
static const Shape image_shape = { V_TABLE, true, 4, image_fields,
                            open_image, close_image, NULL };

/*--- Partial sums (MERGED)                                ---*/

/* Return where the tables of MERGED go. */
static MergedTables* tables(Load* l)
{
   return &last_process(l)->merged;
}

enum { RUN_ID, RUN_INSTRS, RUN_HASH, RUN_THREADS, RUN_FIRST_PART, RUN_PART,
       RUN_LAST_PART, RUN_PRECEDING, RUN_FOLLOWING };

static bool close_run(void* arg, const Frame* frame)
{
   Load*          l = arg;
   DcfgMergedRun* r = array_add(l->job, &tables(l)->runs, sizeof(*r));

   if (r == NULL)
      return false;
   r->id = number(frame, RUN_ID);
   r->instr_count = number(frame, RUN_INSTRS);
   r->hash = number(frame, RUN_HASH);
   r->n_threads = (uint32_t)number(frame, RUN_THREADS);
   r->first_part = (uint32_t)number(frame, RUN_FIRST_PART);
   r->part = (uint32_t)number(frame, RUN_PART);
   r->last_part = (uint32_t)number(frame, RUN_LAST_PART);
   r->begin = number(frame, RUN_PRECEDING);
   r->end = number(frame, RUN_FOLLOWING);
   return true;
}

static const Field run_fields[] = {
   { "PROCESS_ID", V_INT, F_NEEDED, BITS64, NULL },
   { "INSTR_COUNT", V_INT, F_NEEDED, BITS64, NULL },
   { "HASH", V_INT, F_NEEDED | F_HEX, BITS64, NULL },
   { "NUM_THREADS", V_INT, F_NEEDED, BITS32, NULL },
   { "FIRST_PART_NUM", V_INT, F_NEEDED, ID_0, NULL },
   { "PART_NUM", V_INT, F_NEEDED, ID_0, NULL },
   { "LAST_PART_NUM", V_INT, F_NEEDED, ID_0, NULL },
   { "PRECEDING_HASH", V_INT, F_NEEDED | F_HEX, BITS64, NULL },
   { "FOLLOWING_HASH", V_INT, F_NEEDED | F_HEX, BITS64, NULL }
};
static const Shape runs = { V_TABLE, false, 9, run_fields,
                            NULL, close_run, NULL };

enum { HOME_IMAGE, HOME_RUN, HOME_NUMBER, HOME_LOAD, HOME_TURN };

static bool close_home(void* arg, const Frame* frame)
{
   Load*           l = arg;
   DcfgMergedHome* h = array_add(l->job, &tables(l)->homes, sizeof(*h));

   if (h == NULL)
      return false;
   h->image = (uint32_t)number(frame, HOME_IMAGE);
   h->run = (uint32_t)number(frame, HOME_RUN);
   h->number = (uint32_t)number(frame, HOME_NUMBER);
   h->load_addr = number(frame, HOME_LOAD);
   h->turn = (uint32_t)number(frame, HOME_TURN);
   return true;
}

static const Field home_fields[] = {
   { "IMAGE_ID", V_INT, F_NEEDED, ID, NULL },
   { "RUN_NUM", V_INT, F_NEEDED, BITS32, NULL },
   { "IMAGE_NUM", V_INT, F_NEEDED, BITS32, NULL },
   { "LOAD_ADDR", V_INT, F_NEEDED | F_HEX, BITS64, NULL },
   { "TURN", V_INT, F_NEEDED, BITS32, NULL }
};
static const Shape homes = { V_TABLE, false, 5, home_fields,
                             NULL, close_home, NULL };

enum { RAW_IMAGE, RAW_FILE, RAW_LINE, RAW_ADDR, RAW_SIZE, RAW_INSTRS };

static bool close_row(void* arg, const Frame* frame)
{
   Load*          l = arg;
   DcfgMergedRow* r = array_add(l->job, &tables(l)->rows, sizeof(*r));

   if (r == NULL)
      return false;
   r->image = (uint32_t)number(frame, RAW_IMAGE);
   r->file = (uint32_t)number(frame, RAW_FILE);
   r->line = (uint32_t)number(frame, RAW_LINE);
   r->offset = number(frame, RAW_ADDR);
   r->size = number(frame, RAW_SIZE);
   r->n_instrs = (uint32_t)number(frame, RAW_INSTRS);
   return true;
}

static const Field row_fields[] = {
   { "IMAGE_ID", V_INT, F_NEEDED, ID, NULL },
   { "FILE_NAME_ID", V_INT, F_NEEDED, ID, NULL },
   { "LINE_NUM", V_INT, F_NEEDED, BITS32, NULL },
   { "ADDR_OFFSET", V_INT, F_NEEDED | F_HEX, BITS64, NULL },
   { "SIZE", V_INT, F_NEEDED, BITS32, NULL },
   { "NUM_INSTRS", V_INT, F_NEEDED, BITS32, NULL }
};
static const Shape rows = { V_TABLE, false, 6, row_fields,
                            NULL, close_row, NULL };

enum { LEFT_FILE, LEFT_REASON };

static bool close_left_out(void* arg, const Frame* frame)
{
   Load*        l = arg;
   DcfgLeftOut* o = array_add(l->job, &tables(l)->left_out, sizeof(*o));

   if (o == NULL)
      return false;
   o->file = keep_text(l, frame, LEFT_FILE);
   o->reason = keep_text(l, frame, LEFT_REASON);
   return o->file != NULL && o->reason != NULL;
}

static const Field left_fields[] = {
   { "FILE_NAME", V_STRING, F_NEEDED, 0, 0, NULL },
   { "REASON", V_STRING, F_NEEDED, 0, 0, NULL }
};
static const Shape left_out = { V_TABLE, false, 2, left_fields,
                                NULL, close_left_out, NULL };

enum { M_THREADS, M_BUILDS, M_FILES, M_RUNS, M_HOMES, M_ENTRIES, M_ROWS,
       M_OVERLAPPING, M_LEFT_OUT };

static bool close_merged(void* arg, const Frame* frame)
{
   Load*         l = arg;
   MergedTables* t = tables(l);

   t->shown.threads = keep_text(l, frame, M_THREADS);
   t->shown.builds = keep_text(l, frame, M_BUILDS);
   t->shown.n_files = number(frame, M_FILES);
   return t->shown.threads != NULL && t->shown.builds != NULL
          && keep_ids(l, &t->entries, frame, M_ENTRIES)
          && keep_ids(l, &t->overlapping, frame, M_OVERLAPPING);
}

static const Field merged_fields[] = {
   { "THREADS", V_STRING, F_NEEDED, 0, 0, NULL },
   { "BUILDS", V_STRING, F_NEEDED, 0, 0, NULL },
   { "NUM_FILES", V_INT, F_NEEDED, BITS64, NULL },
   { "RUNS", V_TABLE, F_NEEDED, 0, 0, &runs },
   { "HOMES", V_TABLE, F_NEEDED, 0, 0, &homes },
   { "ENTRY_NODE_IDS", V_INTS, F_NEEDED, ID, NULL },
   { "ROWS", V_TABLE, F_NEEDED, 0, 0, &rows },
   { "OVERLAPPING_IMAGE_IDS", V_INTS, F_NEEDED, ID, NULL },
   { "LEFT_OUT", V_TABLE, F_NEEDED, 0, 0, &left_out }
};
static const Shape merged_shape = { V_OBJECT, false, 9, merged_fields,
                             NULL, close_merged, NULL };

static void merged_free(Job* job, MergedTables* t)
{
   array_free(job, &t->runs, sizeof(DcfgMergedRun));
   array_free(job, &t->homes, sizeof(DcfgMergedHome));
   array_free(job, &t->entries, sizeof(uint32_t));
   array_free(job, &t->overlapping, sizeof(uint32_t));
   array_free(job, &t->rows, sizeof(DcfgMergedRow));
   array_free(job, &t->left_out, sizeof(DcfgLeftOut));
}

/*--- Names                                                ---*/

enum { FILE_ID, FILE_NAME };

static bool close_file(void* arg, const Frame* frame)
{
   Load*         l = arg;
   DcfgFileName* file = array_add(l->job, &l->m->files, sizeof(*file));

   if (file == NULL)
      return false;
   file->id = (uint32_t)number(frame, FILE_ID);
   file->name = keep_text(l, frame, FILE_NAME);
   return file->name != NULL;
}

static const Field file_fields[] = {
   { "FILE_NAME_ID", V_INT, F_NEEDED, ID, NULL },
   { "FILE_NAME", V_STRING, F_NEEDED, 0, 0, NULL }
};
static const Shape files = { V_TABLE, false, 2, file_fields,
                             NULL, close_file, NULL };

enum { TYPE_ID, TYPE_NAME };

static bool close_edge_type(void* arg, const Frame* frame)
{
   Load*             l = arg;
   DcfgEdgeTypeName* t = array_add(l->job, &l->m->edge_types, sizeof(*t));

   if (t == NULL)
      return false;
   t->id = (uint32_t)number(frame, TYPE_ID);
   t->name = keep_text(l, frame, TYPE_NAME);
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

static bool close_special_node(void* arg, const Frame* frame)
{
   Load*            l = arg;
   DcfgSpecialNode* s = array_add(l->job, &l->m->special_nodes, sizeof(*s));

   if (s == NULL)
      return false;
   s->id = (uint32_t)number(frame, SPECIAL_ID);
   s->name = keep_text(l, frame, SPECIAL_NAME);
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

/*--- Processes                                            ---*/

enum { EDGE_ID, EDGE_SOURCE, EDGE_TARGET, EDGE_TYPE, EDGE_COUNTS };

static bool close_edge(void* arg, const Frame* frame)
{
   Load*           l = arg;
   Process*        p = last_process(l);
   DcfgEdge*       e = array_add(l->job, &p->edges, sizeof(*e));
   size_t          n = length(frame, EDGE_COUNTS);
   const uint64_t* counts = list(l->walk, frame, EDGE_COUNTS);

   if (e == NULL)
      return false;
   e->id = (uint32_t)number(frame, EDGE_ID);
   e->source = (uint32_t)number(frame, EDGE_SOURCE);
   e->target = (uint32_t)number(frame, EDGE_TARGET);
   e->type_name = (uint32_t)number(frame, EDGE_TYPE);
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

static bool close_continued(void* arg, const Frame* frame)
{
   Load*          l = arg;
   DcfgContinued* c = array_add(l->job, &last_process(l)->continued,
                                sizeof(*c));

   if (c == NULL)
      return false;
   c->thread = (uint32_t)number(frame, CONTINUED_THREAD);
   c->type = (uint32_t)number(frame, CONTINUED_TYPE);
   return true;
}

static const Field continued_fields[] = {
   { "THREAD_ID", V_INT, F_NEEDED, BITS32, NULL },
   { "EDGE_TYPE_ID", V_INT, F_NEEDED, ID_0, NULL }
};
static const Shape continued = { V_TABLE, false, 2, continued_fields,
                                 NULL, close_continued, NULL };

enum { LATE_IMAGE, LATE_OFFSET, LATE_TARGET };

static bool close_late_bypass(void* arg, const Frame* frame)
{
   Load*           l = arg;
   DcfgLateBypass* b = array_add(l->job, &last_process(l)->bypasses,
                                 sizeof(*b));

   if (b == NULL)
      return false;
   b->image_number = (uint32_t)number(frame, LATE_IMAGE);
   b->offset = number(frame, LATE_OFFSET);
   b->target = (uint32_t)number(frame, LATE_TARGET);
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
       PART_BYPASSES, PART_MARK };

static bool close_part(void* arg, const Frame* frame)
{
   Load*           l = arg;
   Process*        p = last_process(l);
   size_t          n = length(frame, PART_PRECEDING);
   const uint64_t* from = list(l->walk, frame, PART_PRECEDING);

   p->part.number = (uint32_t)number(frame, PART_NUMBER);
   p->part.first = (uint32_t)number(frame, PART_FIRST);
   if (has(frame, PART_MARK)) {
      p->part.mark = keep_text(l, frame, PART_MARK);
      if (p->part.mark == NULL)
         return false;
   }
   if (n > 0) {
      uint64_t* to = array_add_n(l->job, &p->preceding, sizeof(*to), n);
      if (to == NULL)
         return false;
      memcpy(to, from, n * sizeof(*to));
   }
   return keep_ids(l, &p->image_numbers, frame, PART_IMAGES);
}

static const Field part_fields[] = {
   { "PART_NUM", V_INT, F_NEEDED, ID, NULL },
   { "FIRST_PART_NUM", V_INT, F_NEEDED, ID, NULL },
   { "PRECEDING_INSTR_COUNT_PER_THREAD", V_INTS, F_NEEDED, BITS64, NULL },
   { "IMAGE_NUMS", V_INTS, F_NEEDED, BITS32, NULL },
   { "CONTINUED_THREADS", V_TABLE, F_NEEDED, 0, 0, &continued },
   { "LATE_BYPASSES", V_TABLE, F_NEEDED, 0, 0, &late_bypasses },
   { "MARK", V_STRING, 0, 0, 0, NULL }
};
static const Shape run_part = { V_OBJECT, false, 7, part_fields,
                            NULL, close_part, NULL };

/* Return a text that older files do not have, or "". */
static const char* keep_text_or_none(Load* l, const Frame* frame,
                                     uint32_t field)
{
   return has(frame, field) ? keep_text(l, frame, field) : "";
}

enum { RUN_PROCESS, RUN_PARENT, RUN_COMMAND, RUN_DIR, RUN_START, RUN_VERSION,
       RUN_PROCESSOR, RUN_DETERMINISTIC, RUN_CONDITIONS };

static bool close_recorded(void* arg, const Frame* frame)
{
   Load*    l = arg;
   DcfgRun* r = array_add(l->job, &last_process(l)->runs, sizeof(*r));

   if (r == NULL)
      return false;
   r->process = number(frame, RUN_PROCESS);
   r->parent = number(frame, RUN_PARENT);
   r->command_line = keep_text(l, frame, RUN_COMMAND);
   r->working_dir = keep_text(l, frame, RUN_DIR);
   r->start = keep_text(l, frame, RUN_START);
   r->tool_version = keep_text(l, frame, RUN_VERSION);
   r->processor = keep_text(l, frame, RUN_PROCESSOR);
   r->deterministic = keep_text_or_none(l, frame, RUN_DETERMINISTIC);
   r->conditions = keep_text_or_none(l, frame, RUN_CONDITIONS);
   return r->command_line != NULL && r->working_dir != NULL
          && r->start != NULL && r->tool_version != NULL
          && r->processor != NULL && r->deterministic != NULL
          && r->conditions != NULL;
}

static const Field recorded_fields[] = {
   { "PROCESS_ID", V_INT, F_NEEDED, BITS64, NULL },
   { "PARENT_ID", V_INT, F_MUST, BITS64, NULL },
   { "COMMAND_LINE", V_STRING, F_MUST, 0, 0, NULL },
   { "WORKING_DIR", V_STRING, F_MUST, 0, 0, NULL },
   { "START", V_STRING, F_MUST, 0, 0, NULL },
   { "TOOL_VERSION", V_STRING, F_MUST, 0, 0, NULL },
   { "PROCESSOR", V_STRING, F_MUST, 0, 0, NULL },
   { "DETERMINISTIC", V_STRING, 0, 0, 0, NULL },
   { "CONDITIONS", V_STRING, 0, 0, 0, NULL }
};
static const Shape recorded = { V_TABLE, false, 9, recorded_fields,
                                NULL, close_recorded, NULL };

/*--- Calls (CALLS)                                        ---*/

/* Append two lists of a row to the costs.  Return their place there. */
static bool keep_costs(Load* l, const Frame* frame, uint32_t field,
                       uint64_t* first)
{
   Process* p = last_process(l);

   *first = p->costs.n;
   for (uint32_t i = field; i <= field + 1; i++) {
      size_t    n = length(frame, i);
      uint64_t* to;
      if (n == 0)
         continue;
      to = array_add_n(l->job, &p->costs, sizeof(*to), n);
      if (to == NULL)
         return false;
      memcpy(to, list(l->walk, frame, i), n * sizeof(*to));
   }
   return true;
}

enum { FN_ID, FN_IMAGE, FN_OFFSET, FN_SELF, FN_INCLUSIVE };

static bool close_function(void* arg, const Frame* frame)
{
   Load*         l = arg;
   DcfgFunction* f = array_add(l->job, &last_process(l)->functions,
                               sizeof(*f));

   if (f == NULL)
      return false;
   f->id = (uint32_t)number(frame, FN_ID);
   f->image = (uint32_t)number(frame, FN_IMAGE);
   f->addr = number(frame, FN_OFFSET);
   f->n_self = (uint32_t)length(frame, FN_SELF);
   f->n_inclusive = (uint32_t)length(frame, FN_INCLUSIVE);
   return keep_costs(l, frame, FN_SELF, &f->first_number);
}

static const Field function_fields[] = {
   { "FUNCTION_ID", V_INT, F_NEEDED, ID, NULL },
   { "IMAGE_ID", V_INT, F_NEEDED, ID_0, NULL },
   { "ADDR_OFFSET", V_INT, F_NEEDED | F_HEX, BITS64, NULL },
   { "SELF_PER_THREAD", V_INTS, F_NEEDED, BITS64, NULL },
   { "INCLUSIVE_PER_THREAD", V_INTS, F_NEEDED, BITS64, NULL }
};
static const Shape functions = { V_TABLE, false, 5, function_fields,
                                 NULL, close_function, NULL };

enum { PAIR_CALLER, PAIR_CALLEE, PAIR_COUNTS, PAIR_INCLUSIVE };

static bool close_pair(void* arg, const Frame* frame)
{
   Load*     l = arg;
   DcfgPair* p = array_add(l->job, &last_process(l)->pairs, sizeof(*p));

   if (p == NULL)
      return false;
   p->caller = (uint32_t)number(frame, PAIR_CALLER);
   p->callee = (uint32_t)number(frame, PAIR_CALLEE);
   p->n_calls = (uint32_t)length(frame, PAIR_COUNTS);
   p->n_inclusive = (uint32_t)length(frame, PAIR_INCLUSIVE);
   return keep_costs(l, frame, PAIR_COUNTS, &p->first_number);
}

static const Field pair_fields[] = {
   { "CALLER_ID", V_INT, F_NEEDED, ID, NULL },
   { "CALLEE_ID", V_INT, F_NEEDED, ID, NULL },
   { "COUNT_PER_THREAD", V_INTS, F_NEEDED, BITS64, NULL },
   { "INCLUSIVE_PER_THREAD", V_INTS, F_NEEDED, BITS64, NULL }
};
static const Shape pairs = { V_TABLE, false, 4, pair_fields,
                             NULL, close_pair, NULL };

static bool close_calls(void* arg, const Frame* frame)
{
   (void)frame;
   last_process(arg)->has_calls = true;
   return true;
}

static const Field calls_fields[] = {
   { "FUNCTIONS", V_TABLE, F_NEEDED, 0, 0, &functions },
   { "PAIRS", V_TABLE, F_NEEDED, 0, 0, &pairs }
};
static const Shape calls_shape = { V_OBJECT, false, 2, calls_fields,
                                   NULL, close_calls, NULL };

/*--- Baselines (BASELINE)                                 ---*/

enum { BF_IMAGE, BF_NAME, BF_FILE, BF_SELF, BF_INCLUSIVE };

static bool close_baseline_function(void* arg, const Frame* frame)
{
   Load*                 l = arg;
   Process*              p = last_process(l);
   DcfgBaselineFunction* f = array_add(l->job, &p->baseline_functions,
                                       sizeof(*f));

   if (f == NULL)
      return false;
   f->image = (uint32_t)number(frame, BF_IMAGE);
   f->file = (uint32_t)number(frame, BF_FILE);
   f->name = keep_text(l, frame, BF_NAME);
   f->self = number(frame, BF_SELF);
   f->inclusive = number(frame, BF_INCLUSIVE);
   p->baseline.has_calls = has(frame, BF_INCLUSIVE)
                           && (p->baseline_functions.n == 1
                               || p->baseline.has_calls);
   return f->name != NULL;
}

static const Field baseline_function_fields[] = {
   { "IMAGE_ID", V_INT, F_NEEDED, ID_0, NULL },
   { "NAME", V_STRING, F_NEEDED, 0, 0, NULL },
   { "FILE_NAME_ID", V_INT, F_NEEDED, ID_0, NULL },
   { "SELF", V_INT, F_NEEDED, BITS64, NULL },
   { "INCLUSIVE", V_INT, 0, BITS64, NULL }
};
static const Shape baseline_functions = { V_TABLE, false, 5,
                                          baseline_function_fields, NULL,
                                          close_baseline_function, NULL };

enum { BASELINE_NAME, BASELINE_LEAST, BASELINE_FUNCTIONS };

static bool close_baseline(void* arg, const Frame* frame)
{
   Load*         l = arg;
   DcfgBaseline* b = &last_process(l)->baseline;

   b->name = keep_text(l, frame, BASELINE_NAME);
   b->least = number(frame, BASELINE_LEAST);
   return b->name != NULL;
}

static const Field baseline_fields[] = {
   { "NAME", V_STRING, F_NEEDED, 0, 0, NULL },
   { "LEAST", V_INT, F_NEEDED, BITS64, NULL },
   { "FUNCTIONS", V_TABLE, F_NEEDED, 0, 0, &baseline_functions }
};
static const Shape baseline = { V_OBJECT, false, 3, baseline_fields,
                                NULL, close_baseline, NULL };

/*--- Data of a process                                    ---*/

enum { PD_RUNS, PD_RECORDED, PD_THREADS, PD_COUNT, PD_IMAGES, PD_EDGES,
       PD_PART, PD_MERGED, PD_CALLS, PD_BASELINE };

static bool close_process_data(void* arg, const Frame* frame)
{
   Load*    l = arg;
   Process* p = last_process(l);
   size_t   n = length(frame, PD_THREADS);

   if (l->enough)
      return true;
   p->has_n_runs = has(frame, PD_RUNS);
   p->shown.n_runs = number(frame, PD_RUNS);
   p->has_instr_count = has(frame, PD_COUNT);
   p->shown.instr_count = number(frame, PD_COUNT);
   if (n > 0) {
      uint64_t* to = array_add_n(l->job, &p->threads, sizeof(*to), n);
      if (to == NULL)
         return false;
      memcpy(to, list(l->walk, frame, PD_THREADS), n * sizeof(*to));
   }
   return true;
}

static const Field process_data_fields[] = {
   { "NUM_RUNS", V_INT, 0, BITS64, NULL },
   { "RUN", V_TABLE, 0, 0, 0, &recorded },
   { "INSTR_COUNT_PER_THREAD", V_INTS, F_MUST, BITS64, NULL },
   { "INSTR_COUNT", V_INT, F_MUST, BITS64, NULL },
   { "IMAGES", V_TABLE, F_MUST, 0, 0, &image_shape },
   { "EDGES", V_TABLE, 0, 0, 0, &edges },
   { "PART", V_OBJECT, 0, 0, 0, &run_part },
   { "MERGED", V_OBJECT, 0, 0, 0, &merged_shape },
   { "CALLS", V_OBJECT, 0, 0, 0, &calls_shape },
   { "BASELINE", V_OBJECT, 0, 0, 0, &baseline }
};
static const Shape process_data = { V_OBJECT, false, 10, process_data_fields,
                                    NULL, close_process_data, NULL };

enum { PROCESS_ID, PROCESS_DATA };

static bool open_process(void* arg, const Frame* frame)
{
   Load* l = arg;

   (void)frame;
   return array_add(l->job, &l->m->processes, sizeof(Process)) != NULL;
}

static bool close_process(void* arg, const Frame* frame)
{
   last_process(arg)->shown.id = number(frame, PROCESS_ID);
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

/* --- The whole file                                       --- */

enum { TOP_MAJOR, TOP_MINOR, TOP_FILES, TOP_TYPES, TOP_SPECIAL,
       TOP_PROCESSES };

static bool close_top(void* arg, const Frame* frame)
{
   Load* l = arg;
   Dcfg* d = &l->m->shown;

   d->major_version = (uint32_t)number(frame, TOP_MAJOR);
   d->minor_version = (uint32_t)number(frame, TOP_MINOR);
   for (uint32_t i = TOP_FILES; i <= TOP_SPECIAL; i++)
      if (!has(frame, i))
         odd(l, "missing-table", frame->shape->fields[i].name);
   return true;
}

static const Field top_fields[] = {
   { "MAJOR_VERSION", V_INT, F_NEEDED | F_VERSION, BITS32, NULL },
   { "MINOR_VERSION", V_INT, F_MUST, BITS32, NULL },
   { "FILE_NAMES", V_TABLE, 0, 0, 0, &files },
   { "EDGE_TYPES", V_TABLE, 0, 0, 0, &edge_types },
   { "SPECIAL_NODES", V_TABLE, 0, 0, 0, &special_nodes },
   { "PROCESSES", V_TABLE, F_NEEDED, 0, 0, &processes },
   { "BASELINE_VERSION", V_INT, F_VERSION, BITS32, NULL }
};
static const Shape dcfg_shape = { V_OBJECT, true, 7, top_fields,
                           NULL, close_top, NULL };

/*--- Loading and freeing                                  ---*/

/* Read all text of IN, or its head, and close IN. */
static bool read_model(Model* model, Input* in, bool head)
{
   Load   l = { .m = model, .job = &model->job, .head = head };
   Parse* parse = parse_start(&model->job, in, &dcfg_shape, &l);
   bool   ok = parse != NULL;

   if (ok)
      l.walk = parse_walk(parse);
   while (ok && !parse_finished(parse) && !l.enough)
      ok = parse_some(parse);
   parse_end(parse);
   return ok || l.enough;
}

/* Load a DCFG, or its head.  IN and MODEL's job are freed or become part of the result. */
static Dcfg* load(Model* model, Input* in, bool head, DcfgError* err)
{
   bool ok = in != NULL && read_model(model, in, head);

   model->shown.json_size = model->job.offset;
   job_at(&model->job, 0);
   if (ok && head)
      show_heads(model);
   else
      ok = ok && resolve_ids(model);
   job_tell(&model->job, err);
   if (ok)
      return &model->shown;
   dcfg_free(&model->shown);
   return NULL;
}

Dcfg* dcfg_load(const char* path, const DcfgOptions* options, DcfgError* err)
{
   Model* m = job_object(sizeof(*m), offsetof(Model, job), path, options,
                         err);

   return m == NULL ? NULL : load(m, input_open(&m->job, path), false, err);
}

Dcfg* dcfg_load_head(const char* path, const DcfgOptions* options,
                     DcfgError* err)
{
   Model* m = job_object(sizeof(*m), offsetof(Model, job), path, options,
                         err);

   return m == NULL ? NULL : load(m, input_open(&m->job, path), true, err);
}

Dcfg* dcfg_load_memory(const void* data, size_t size, const char* name,
                       const DcfgOptions* options, DcfgError* err)
{
   Model* m = job_object(sizeof(*m), offsetof(Model, job), name, options,
                         err);

   return m == NULL ? NULL
          : load(m, input_open_memory(&m->job, data, size), false, err);
}

static void free_process(Job* job, Process* process)
{
   id_free(job, &process->node_ids);
   id_free(job, &process->edge_ids);
   FREE_EACH(free, process->first_out, process->out, process->first_in,
             process->in, process->loop_of_head, process->by_addr,
             process->symbol_ends, process->source_ends, process->block_ends);
   array_free(job, &process->images, sizeof(DcfgImage));
   array_free(job, &process->symbols, sizeof(DcfgSymbol));
   array_free(job, &process->sources, sizeof(DcfgSource));
   array_free(job, &process->nodes, sizeof(DcfgNode));
   array_free(job, &process->edges, sizeof(DcfgEdge));
   array_free(job, &process->counts, sizeof(uint64_t));
   array_free(job, &process->threads, sizeof(uint64_t));
   array_free(job, &process->routines, sizeof(DcfgRoutine));
   array_free(job, &process->loops, sizeof(DcfgLoop));
   array_free(job, &process->routine_nodes, sizeof(uint32_t));
   array_free(job, &process->idoms, sizeof(uint32_t));
   array_free(job, &process->exits, sizeof(uint32_t));
   array_free(job, &process->loop_nodes, sizeof(uint32_t));
   array_free(job, &process->backs, sizeof(uint32_t));
   array_free(job, &process->preceding, sizeof(uint64_t));
   array_free(job, &process->image_numbers, sizeof(uint32_t));
   array_free(job, &process->continued, sizeof(DcfgContinued));
   array_free(job, &process->bypasses, sizeof(DcfgLateBypass));
   array_free(job, &process->runs, sizeof(DcfgRun));
   array_free(job, &process->baseline_functions, sizeof(DcfgBaselineFunction));
   array_free(job, &process->functions, sizeof(DcfgFunction));
   array_free(job, &process->pairs, sizeof(DcfgPair));
   array_free(job, &process->costs, sizeof(uint64_t));
   merged_free(job, &process->merged);
}

void dcfg_free(Dcfg* d)
{
   Model* m = (Model*)d;

   if (m == NULL)
      return;
   for (size_t i = 0; i < m->processes.n; i++)
      free_process(&m->job, &ELEM(m->processes, Process, i));
   array_free(&m->job, &m->processes, sizeof(Process));
   array_free(&m->job, &m->files, sizeof(DcfgFileName));
   array_free(&m->job, &m->edge_types, sizeof(DcfgEdgeTypeName));
   array_free(&m->job, &m->special_nodes, sizeof(DcfgSpecialNode));
   arena_free(&m->job, &m->strings);
   free(m);
}
