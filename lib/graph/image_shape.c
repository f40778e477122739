/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tables of an image in a DCFG. */

/* Owns: the tables of an image: symbols, source lines, blocks, routines with
   their loops (the format's specification, part 2).  Handed: rows by walk.c.
   Taken by: shapes.c. */

#include "lib/graph/image_shape.h"

#include "format/instr_sizes.h"

#include <stdlib.h>

bool keep_ids(Load* l, Array* to, const Frame* f, uint32_t field)
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

/*--- Routines and loops                                   ---*/

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

/*--- Images                                               ---*/

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
       DATA_BLOCKS, DATA_INSTR_SIZES, DATA_ROUTINES };

static bool is_unknown(const char* digits, uint32_t n)
{
   for (uint32_t i = 0; i < n; i++)
      if (digits[i] != '0')
         return false;
   return true;
}

/* Return the first block of IM that the N DIGITS do not fit; the number of nodes
   so far if they fit all. */
static size_t find_misfit(const Process* p, const DcfgImage* im,
                          const char* digits, size_t n)
{
   size_t at = 0, i;

   for (i = im->first_node; i < p->nodes.n; i++) {
      const DcfgNode* block = &ELEM(p->nodes, DcfgNode, i);
      if (block->n_instrs > n - at
          || (!is_unknown(digits + at, block->n_instrs)
              && !fits_instr_sizes(digits + at, block->n_instrs, block->size,
                                   block->last_offset)))
         return i;
      at += block->n_instrs;
   }
   return at == n ? i : p->nodes.n - 1;
}

/* Keep INSTR_SIZES if it fits the blocks. */
static bool keep_instr_sizes(Load* l, const Frame* f, DcfgImage* im)
{
   const Process* p = last_process(l);
   size_t         misfit;
   char           place[PLACE_SIZE];

   misfit = p->nodes.n == im->first_node ? SIZE_MAX
            : find_misfit(p, im, text(l->walk, f, DATA_INSTR_SIZES),
                          length(f, DATA_INSTR_SIZES));
   if (misfit == p->nodes.n) {
      im->instr_sizes = keep_text(l, f, DATA_INSTR_SIZES);
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
   if (has(f, DATA_INSTR_SIZES) && !keep_instr_sizes(l, f, im))
      return false;
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
   { "INSTR_SIZES", V_STRING, 0, 0, 0, NULL },
   { "ROUTINES", V_TABLE, 0, 0, 0, &routines }
};
static const Shape image_data = { V_OBJECT, false, 8, image_data_fields,
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
const Shape image_shape = { V_TABLE, true, 4, image_fields,
                            open_image, close_image, NULL };
