/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A process, added to a sum. */

/* Owns: which images become one, how counts are added up, and how parts of a run
   are joined.  Handed: processes, and parts in their order, by cmd_merge.c.

   An image that the sum has not is taken as it is.  The blocks of another are
   divided by those of the sum, and these by them (merge_divide.c).  Then each
   block of the process has the ids of a begin and an end, and the counts of its
   edges are added.  The flow into a block goes on through all of its pieces;
   into a block of the sum that is divided now, so does the flow so far.

   A function is the same if its image and its offset there are.  A sum has
   calls if all of its runs have: then it does not matter how runs are
   grouped.

   Where a run was cut, each thread has an EXIT edge in one part and an ENTRY
   edge in the next part in which it runs.  That part says which edge these
   stand for, or that the thread was in the middle of a block.  The pieces of
   such blocks are joined in the end. */

#include "cmd/merge/merge.h"

#include "tool/graph/graph.h"

/*--- Counts                                               ---*/

static ThreadCounts counts_new(void)
{
   return (ThreadCounts){ .all = zalloc(1, sizeof(Count)), .n = 1,
                          .room = 1 };
}

/* Add N to THREAD's count of ROW, a number of WHAT.  A row's counts are mostly
   added in their order, so the search begins with the last one. */
static void add_to_row(ThreadCounts* c, CountRow* row, uint32_t thread,
                       uint64_t n, const char* what)
{
   uint32_t before = 0, k = row->last;

   if (n == 0)
      return;
   if (c->all[k].thread > thread)
      k = row->first;
   while (k != 0 && c->all[k].thread < thread) {
      before = k;
      k = c->all[k].next;
   }
   if (k == 0 || c->all[k].thread != thread) {
      if (c->n >= UINT32_MAX)
         die("there would be too many counts of edges");
      GROW(c->all, c->n, c->room);
      c->all[c->n] = (Count){ thread, k, 0 };
      k = (uint32_t)c->n++;
      *(before == 0 ? &row->first : &c->all[before].next) = k;
   }
   row->last = k;
   add_exact(&c->all[k].n, n, what);
}

/*--- Edges                                                ---*/

/* Return M's edge from the end SOURCE to the begin TARGET.  Of its type and
   TYPE, it has the better one, of equal ranks the first in the format. */
static MergedEdge* edge_of(Merged* m, uint32_t source, uint32_t target,
                           uint32_t type)
{
   MergedEdges* edges = &m->edges;
   uint32_t     k = keymap_number(edges->keys,
                                  (uint64_t)source << 32 | target);
   MergedEdge*  e;

   if (k == edges->n) {
      GROW(edges->all, edges->n, edges->room);
      edges->all[edges->n++] = (MergedEdge){ .type = (uint16_t)type };
   }
   e = &edges->all[k];
   if (e->type != type) {
      UInt mine = DCFG_(edge_rank)(EdgeEntry + e->type);
      UInt other = DCFG_(edge_rank)(EdgeEntry + type);
      if (other < mine || (other == mine && type < e->type))
         e->type = (uint16_t)type;
   }
   return e;
}

/* Add a thread's N traversals to the edge. */
static void add_traversals(Merged* m, uint32_t source, uint32_t target,
                           uint32_t type, Passing passing, uint32_t thread,
                           uint64_t n)
{
   MergedEdge* e = edge_of(m, source, target, type);

   if (passing > e->passing)
      e->passing = (uint16_t)passing;
   add_to_row(&m->edges.counts, &e->row, thread, n, "traversals of an edge");
}

static Passing passing_of(uint32_t type)
{
   return type == DCFG_EDGE_FALL_THROUGH ? PASSES : TRANSFERS;
}

/*--- Pieces of blocks                                     ---*/

COMPARE(by_block, Cut, UP(block))

/* Send a thread's N entries into BLOCK through all pieces behind the first. */
static void pass_cuts(Merged* m, const Cuts* cuts, uint32_t block,
                      uint32_t thread, uint64_t n)
{
   uint32_t i = 0;

   BISECT(i, cuts->n, middle, cuts->all[middle].block < block);
   for (; i < cuts->n && cuts->all[i].block == block; i++)
      add_traversals(m, cuts->all[i].from, cuts->all[i].to,
                     DCFG_EDGE_FALL_THROUGH, PASSES_ONWARD, thread, n);
}

/* Send the flow so far through the pieces of M's blocks that are divided
   now. */
static void divide_flow(Addition* a)
{
   MergedEdges* edges = &a->m->edges;
   uint32_t     n = a->old.n == 0 ? 0 : edges->n;

   for (uint32_t i = 0; i < n; i++) {
      uint32_t target = (uint32_t)keymap_key(edges->keys, i);
      for (uint32_t k = edges->all[i].row.first; k != 0;
           k = edges->counts.all[k].next)
         if (edges->counts.all[k].n > 0)
            pass_cuts(a->m, &a->old, target, edges->counts.all[k].thread,
                      edges->counts.all[k].n);
   }
}

/*--- Threads of a part                                    ---*/

/* Take the EXIT of each thread that goes on out of the sum. */
static void take_exits(Addition* a)
{
   const DcfgPart* part = a->part;
   MergedEdges*    edges = &a->m->edges;

   a->exits = zalloc(part->n_continued, sizeof(*a->exits));
   for (uint32_t c = 0; c < part->n_continued; c++) {
      a->exits[c] = NO_ID;
      for (uint32_t i = 0; i < edges->n && a->exits[c] == NO_ID; i++) {
         uint64_t key = keymap_key(edges->keys, i);
         for (uint32_t k = edges->all[i].row.first; k != 0
              && (uint32_t)key == MERGED_END; k = edges->counts.all[k].next)
            if (edges->counts.all[k].thread == part->continued[c].thread
                && edges->counts.all[k].n > 0) {
               edges->counts.all[k].n = 0;
               a->exits[c] = (uint32_t)(key >> 32);
            }
      }
   }
}

/* Add a thread's N ENTRY edges, of TYPE, to TARGET.  A thread that goes on had
   an EXIT: both become the edge between them.  The part with that may be
   missing. */
static void add_entry(Addition* a, uint32_t target, uint32_t type,
                      uint32_t thread, uint64_t n)
{
   const DcfgPart* part = a->part;
   uint32_t        source = MERGED_START;
   Passing         passing = passing_of(type);

   for (uint32_t c = 0; c < part->n_continued; c++) {
      bool inside = part->continued[c].type == DCFG_NONE;
      if (part->continued[c].thread != thread)
         continue;
      a->n_continued++;
      if (part->continued[c].type == DCFG_EDGE_OTHER)
         die_part(a);
      if (a->exits[c] == NO_ID)
         continue;
      source = a->exits[c];
      type = inside ? DCFG_EDGE_FALL_THROUGH : part->continued[c].type;
      passing = inside ? PASSES_ONWARD : passing_of(type);
   }
   add_traversals(a->m, source, target, type, passing, thread, n);
}

/* Return the end of the block that ends with the instruction at OFFSET, in the
   image with NUMBER; NO_ID if there is none. */
static uint32_t find_end(const Merged* m, uint32_t number, uint64_t offset)
{
   uint32_t           place = keymap_find(m->places, number);
   const MergedImage* im = place < m->n_images ? &m->images[place] : NULL;

   for (uint32_t i = 0; im != NULL && i < im->n_blocks; i++)
      if (im->blocks[i].offset + im->blocks[i].last_offset == offset)
         return im->blocks[i].end;
   return NO_ID;
}

/* Add bypasses that lead from earlier parts. */
static void add_late_bypasses(Addition* a)
{
   const DcfgPart* part = a->part;

   if (a->n_continued != part->n_continued)
      die_part(a);
   for (uint32_t i = 0; i < part->n_bypasses; i++) {
      const DcfgLateBypass* late = &part->bypasses[i];
      uint32_t source = find_end(a->m, late->image_number, late->offset);
      uint32_t target = late->target == DCFG_NONE ? NO_ID
                        : a->begins[late->target];
      if (source == NO_ID || target == NO_ID)
         complain("%s: a bypass leaves 0x%" PRIx64 " of image %" PRIu32 ", "
                  "where no part has a block: it is left out", a->path,
                  late->offset, late->image_number);
      else
         edge_of(a->m, source, target, DCFG_EDGE_CONTEXT_CHANGE_BYPASS);
   }
}

/*--- Edges of a process                                   ---*/

static void add_edges(Addition* a)
{
   const DcfgProcess* p = a->g->p;

   for (uint32_t i = 0; i < p->n_edges; i++) {
      const DcfgEdge* e = &p->edges[i];
      uint32_t        source = a->ends[e->source];
      uint32_t        target = a->begins[e->target];
      if ((e->count == 0 && !dcfg_is_bypass(e->type)) || source == NO_ID
          || target == NO_ID) {
         a->idle++;
         continue;
      }
      if (e->count == 0)
         edge_of(a->m, source, target, e->type);
      for (uint32_t t = 0; t < e->n_counts && e->count > 0; t++) {
         uint64_t n = dcfg_edge_count(p, i, t);
         uint32_t thread = a->first_thread + t;
         if (n == 0)
            continue;
         if (a->part != NULL && source == MERGED_START)
            add_entry(a, target, e->type, thread, n);
         else
            add_traversals(a->m, source, target, e->type, passing_of(e->type),
                           thread, n);
         pass_cuts(a->m, &a->new, e->target, thread, n);
      }
   }
}

/*--- Calls                                                ---*/

/* The most functions, and the most pairs. */
#define MOST_ROWS (UINT32_MAX / 2)

#define CALLS_OR_INSTRS "calls or instructions of a function"
#define FUNCTION_INSTRS "instructions of a function"

/* Return the number of function F of A's process. */
static uint32_t number_function(Addition* a, const DcfgFunction* f)
{
   MergedCalls* c = &a->m->calls;
   uint64_t     key = NO_IMAGE_KEY, offset = 0;
   uint32_t     n;

   if (f->image != DCFG_NONE) {
      key = a->images[f->image].key;
      offset = f->addr - a->g->p->images[f->image].load_addr;
   }
   n = keymap_number(c->functions,
                     (uintptr_t)intern(a->m->names,
                                       text_format("%" PRIx64 " %" PRIx64, key,
                                                   offset)));
   if (n < c->n_functions)
      return n;
   if (n >= MOST_ROWS)
      die("%s: there would be too many functions", a->path);
   GROW(c->all, c->n_functions, c->room);
   c->all[c->n_functions++] = (MergedFunction){ key, offset, 0, 0, { 0, 0 },
                                                { 0, 0 } };
   return n;
}

static void add_calls(Addition* a)
{
   const DcfgProcess*  p = a->g->p;
   const DcfgCallSums* from = p->calls;
   MergedCalls*        c = &a->m->calls;
   uint32_t*           numbers;

   if (from == NULL) {
      c->lost = true;
      return;
   }
   c->any = true;
   numbers = zalloc(from->n_functions, sizeof(*numbers));
   for (uint32_t i = 0; i < from->n_functions; i++) {
      MergedFunction* f;
      numbers[i] = number_function(a, &from->functions[i]);
      f = &c->all[numbers[i]];
      for (uint32_t t = 0; t < p->n_threads; t++) {
         add_to_row(&c->counts, &f->self, a->first_thread + t,
                    dcfg_function_self(p, i, t), CALLS_OR_INSTRS);
         add_to_row(&c->counts, &f->all, a->first_thread + t,
                    dcfg_function_inclusive(p, i, t), FUNCTION_INSTRS);
      }
   }
   for (uint32_t i = 0; i < from->n_pairs; i++) {
      const DcfgPair* pair = &from->pairs[i];
      uint32_t        n = keymap_number(c->pairs,
                                        (uint64_t)numbers[pair->caller] << 32
                                        | numbers[pair->callee]);
      if (n >= MOST_ROWS)
         die("%s: there would be too many calls", a->path);
      if (n == c->n_pairs) {
         GROW(c->all_pairs, c->n_pairs, c->pairs_room);
         c->all_pairs[c->n_pairs++] = (MergedPair){ { 0, 0 }, { 0, 0 } };
      }
      for (uint32_t t = 0; t < p->n_threads; t++) {
         add_to_row(&c->counts, &c->all_pairs[n].calls, a->first_thread + t,
                    dcfg_pair_calls(p, i, t), CALLS_OR_INSTRS);
         add_to_row(&c->counts, &c->all_pairs[n].costs, a->first_thread + t,
                    dcfg_pair_inclusive(p, i, t), FUNCTION_INSTRS);
      }
   }
   free(numbers);
}

/*--- Images                                               ---*/

static bool differ(const char* x, const char* y)
{
   return x != NULL && y != NULL && x != y;
}

/* Die if images X and Y have other build ids, hashes of their code, or
   symbols. */
static void compare_builds(const Addition* a, const MergedImage* x,
                           const MergedImage* y)
{
   if (differ(x->build_id, y->build_id) || differ(x->code_hash, y->code_hash))
      die_other(a, y->build_id != NULL ? "its build id differs"
                : "its code differs", NOWHERE);
   if (x->n_symbols == 0 || y->n_symbols == 0)
      return;
   for (uint32_t i = 0; i < x->n_symbols || i < y->n_symbols; i++) {
      const DcfgSymbol* s = &x->symbols[i];
      const DcfgSymbol* t = &y->symbols[i];
      if (i >= x->n_symbols || i >= y->n_symbols || s->name != t->name
          || s->addr != t->addr || s->size != t->size)
         die_other(a, "its symbols differ",
                   i < x->n_symbols ? s->addr : t->addr);
   }
}

/* Add the rows of FROM to those of TO, each once. */
static void unite_rows(const Addition* a, MergedImage* to,
                       const MergedImage* from)
{
   size_t     most = (size_t)to->n_rows + from->n_rows;
   MergedRow* rows = zalloc(most, sizeof(*rows));
   uint32_t   x = 0, y = 0, n = 0;

   while (x < to->n_rows || y < from->n_rows) {
      int              order = x == to->n_rows ? 1 : y == from->n_rows ? -1
                               : row_order(&to->rows[x], &from->rows[y]);
      const MergedRow* r = order <= 0 ? &to->rows[x++] : &from->rows[y++];
      if (n == 0 || row_order(&rows[n - 1], r) != 0)
         rows[n++] = *r;
      else if (rows[n - 1].n_instrs != r->n_instrs)
         die_other(a, "its source lines differ", r->offset);
   }
   free(to->rows);
   to->rows = rows;
   to->n_rows = n;
}

/* Return the number of instructions from FROM to TO; 0 if blocks do not begin
   and end there. */
static uint64_t count_instrs(const MergedImage* im, uint64_t from, uint64_t to)
{
   uint32_t low = 0;
   uint64_t n = 0;

   BISECT(low, im->n_blocks, middle, im->blocks[middle].offset < from);
   for (; from < to; from += im->blocks[low++].size) {
      if (low == im->n_blocks || im->blocks[low].offset != from)
         return 0;
      n += im->blocks[low].n_instrs;
   }
   return from == to ? n : 0;
}

/* Join R to LAST, if it begins within LAST or just behind it. */
static bool join_row(const MergedImage* im, MergedRow* last,
                     const MergedRow* r)
{
   uint64_t end = row_end(last), shared = 0;

   if (row_end(r) <= end)
      return true;
   if (r->offset < end) {
      shared = count_instrs(im, r->offset, end);
      if (shared == 0 || shared > r->n_instrs)
         return false;
   }
   last->size = row_end(r) - last->offset;
   last->n_instrs += r->n_instrs - (uint32_t)shared;
   return true;
}

/* A row is executed code of one line, without a gap.  So rows of one line that
   touch or overlap become one.  After joining, the rows are lost, and only
   blocks tell how far two rows overlap.  So a sum keeps the rows of its runs,
   and joins them when it is written. */
void join_rows(MergedImage* im)
{
   im->joined = zalloc(im->n_rows, sizeof(*im->joined));
   im->n_joined = 0;
   for (uint32_t i = 0; i < im->n_rows; i++) {
      const MergedRow* r = &im->rows[i];
      MergedRow*       last = im->n_joined == 0 || im->overlapping ? NULL
                              : &im->joined[im->n_joined - 1];
      bool             fits = true;
      if (last != NULL && r->offset <= row_end(last)
          && r->file == last->file && r->line == last->line) {
         fits = join_row(im, last, r);
      } else {
         fits = last == NULL || r->offset >= row_end(last);
         im->joined[im->n_joined++] = *r;
      }
      if (!fits)
         die("%s is not the same build in all runs: its source lines differ, "
             "at 0x%" PRIx64 " from where it is loaded; merge each build by "
             "itself, or use --builds=apart", text_clean(im->name), r->offset);
   }
}

/* Add FROM to M's image TO. */
static void unite_image(Addition* a, MergedImage* to, MergedImage* from)
{
   MergedBlock* blocks;

   compare_builds(a, to, from);
   a->n_guessed = 0;
   blocks = divide_blocks(a, to, from, &to->n_blocks);
   free(to->blocks);
   to->blocks = blocks;
   unite_rows(a, to, from);
   if (a->n_guessed > 0)
      complain("%s: there is no file %s: %s block%s divided by numbers of "
               "instructions alone; --root=DIR names a directory with the file",
               a->path, text_clean(to->name), text_count(a->n_guessed),
               a->n_guessed == 1 ? " is" : "s are");
   if (from->size > to->size)
      to->size = from->size;
   to->overlapping = to->overlapping || from->overlapping;
   if (to->build_id == NULL)
      to->build_id = from->build_id;
   if (to->code_hash == NULL)
      to->code_hash = from->code_hash;
   if (to->n_symbols == 0) {
      free(to->symbols);
      to->symbols = from->symbols;
      to->n_symbols = from->n_symbols;
      from->symbols = NULL;
   }
   if (a->n_runs > 0
       && run_order(&a->m->runs[from->home.run], &a->m->runs[to->home.run]) < 0)
      to->home = from->home;
}

static void add_image(Addition* a, MergedImage* from)
{
   Merged*  m = a->m;
   uint32_t place = keymap_number(m->places, from->key);

   from->home.run += m->n_runs - a->n_runs;
   if (place < m->n_images) {
      unite_image(a, &m->images[place], from);
      return;
   }
   for (uint32_t k = 0; k < from->n_blocks; k++) {
      MergedBlock* b = &from->blocks[k];
      b->end = new_id(a);
      a->begins[b->begin] = a->ends[b->begin] = b->end;
      b->begin = b->end & INT32_MAX;
   }
   GROW(m->images, m->n_images, m->images_room);
   m->images[m->n_images++] = *from;
   *from = (MergedImage){ 0 };
}

/* Add the images, from which all nodes get their ids. */
static void add_images(Addition* a)
{
   const DcfgProcess* p = a->g->p;

   for (uint32_t i = 0; i < p->n_nodes; i++)
      a->begins[i] = a->ends[i] =
                  p->nodes[i].kind == DCFG_NODE_START ? MERGED_START
                  : p->nodes[i].kind == DCFG_NODE_END ? MERGED_END
                  : p->nodes[i].kind == DCFG_NODE_UNKNOWN ? MERGED_UNKNOWN
                  : NO_ID;
   for (a->image = 0; a->image < p->n_images; a->image++)
      add_image(a, &a->images[a->image]);
   SORT(a->old.all, a->old.n, by_block);
   SORT(a->new.all, a->new.n, by_block);
}

static void free_image(MergedImage* im)
{
   FREE_ALL(im->blocks, im->symbols, im->rows, im->joined);
}

/*--- Rows of RUN                                          ---*/

COMPARE(by_start, DcfgRun,
        strcmp(x->start, y->start) ?: UP(process) ?: UP(parent)
        ?: strcmp(x->command_line, y->command_line)
        ?: strcmp(x->working_dir, y->working_dir)
        ?: strcmp(x->tool_version, y->tool_version)
        ?: strcmp(x->processor, y->processor)
        ?: strcmp(x->deterministic, y->deterministic)
        ?: strcmp(x->conditions, y->conditions))

/* Keep R, if it is one of the first rows.  The order has all that a row has, and
   the rest of a sum that was cut off comes behind what it kept: so the first
   rows are the same for any grouping. */
static void keep_recorded(Merged* m, const DcfgRun* r)
{
   uint32_t i = 0;
   DcfgRun* to;

   BISECT(i, m->n_recorded, middle, by_start(&m->recorded[middle], r) < 0);
   if (i == DCFG_MOST_RUNS)
      return;
   if (m->recorded == NULL)
      m->recorded = zalloc(DCFG_MOST_RUNS + 1, sizeof(*m->recorded));
   to = &m->recorded[i];
   memmove(to + 1, to, (m->n_recorded - i) * sizeof(*to));
   if (m->n_recorded < DCFG_MOST_RUNS)
      m->n_recorded++;
   *to = (DcfgRun){ r->process, r->parent, intern(m->names, r->command_line),
                    intern(m->names, r->working_dir),
                    intern(m->names, r->start),
                    intern(m->names, r->tool_version),
                    intern(m->names, r->processor),
                    intern(m->names, r->deterministic),
                    intern(m->names, r->conditions) };
}

/* Add what A's process tells of its runs.  All parts of a run tell the same. */
static void add_recorded(Addition* a)
{
   const DcfgProcess* p = a->g->p;

   if (a->part != NULL && a->m->n_all > 0)
      return;
   add_exact(&a->m->n_all, p->n_runs, "runs");
   for (uint32_t i = 0; i < p->n_recorded; i++)
      keep_recorded(a->m, &p->runs[i]);
}

/*--- Sums                                                 ---*/

Merged merged_new(Interned* names, bool keep, bool apart)
{
   return (Merged){ .names = names, .keep = keep, .apart = apart,
                    .places = keymap_new(), .n_ids = MERGED_BLOCK,
                    .edges = { .keys = keymap_new(), .counts = counts_new() },
                    .calls = { .functions = keymap_new(),
                               .pairs = keymap_new(),
                               .counts = counts_new() } };
}

void merged_free(Merged* m)
{
   for (uint32_t i = 0; i < m->n_images; i++)
      free_image(&m->images[i]);
   FREE_ALL(m->images, m->runs, m->recorded, m->edges.all, m->edges.counts.all,
            m->calls.all, m->calls.all_pairs, m->calls.counts.all,
            m->thread_instrs);
   FREE_EACH(keymap_free, m->places, m->edges.keys, m->calls.functions,
             m->calls.pairs);
}

/* Add the runs and threads. */
static void add_runs(Addition* a)
{
   Merged*            m = a->m;
   const DcfgProcess* p = a->g->p;
   uint32_t           first = m->keep ? m->n_threads : 0;
   uint64_t           n = (uint64_t)first + p->n_threads;

   if (n >= UINT32_MAX)
      die("%s: there would be too many threads", a->path);
   if (n > m->n_threads) {
      m->thread_instrs = need(realloc(m->thread_instrs,
                                      n * sizeof(*m->thread_instrs)));
      memset(m->thread_instrs + m->n_threads, 0,
             (n - m->n_threads) * sizeof(*m->thread_instrs));
      m->n_threads = (uint32_t)n;
   }
   for (uint32_t t = 0; t < p->n_threads; t++)
      add_exact(&m->thread_instrs[first + t], dcfg_process_instrs(p, t),
                "instructions of a thread");
   for (uint32_t i = 0; i < a->n_runs; i++) {
      GROW(m->runs, m->n_runs, m->runs_room);
      m->runs[m->n_runs] = a->runs[i];
      m->runs[m->n_runs].number = m->n_runs;
      m->runs[m->n_runs++].first_thread += first;
   }
   a->first_thread = first;
}

static void free_adding(Addition* a)
{
   if (a->idle > 0)
      complain("%s: %s edges and blocks that were never executed are left "
               "out", a->path, text_count(a->idle));
   for (uint32_t i = 0; i < a->g->p->n_images; i++)
      free_image(&a->images[i]);
   FREE_ALL(a->images, a->runs, a->begins, a->ends, a->exits);
   close_code(a);
   FREE_ALL(a->old.all, a->new.all);
}

void merged_add(Merged* m, const Program* g, const MergedRun* run,
                const DcfgPart* part, const char* path, const char* root)
{
   Addition a = { .m = m, .g = g, .part = part, .path = path, .root = root,
                  .begins = zalloc(g->p->n_nodes, sizeof(*a.begins)),
                  .ends = zalloc(g->p->n_nodes, sizeof(*a.ends)) };
   bool     has_blocks = g->p->n_blocks > 0;

   if (part == NULL && m->n_runs > 0 && m->with_blocks != has_blocks)
      die("%s: %s", path, m->with_blocks
          ? "it has no blocks, but other runs have" : "it has blocks, but "
                                                      "other runs have none");
   /* A part may have no blocks: nothing ran between two cuts. */
   m->with_blocks = m->with_blocks || has_blocks;
   m->with_routines = m->with_routines || g->p->n_routines > 0;
   read_process(&a, run);
   add_runs(&a);
   add_recorded(&a);
   add_calls(&a);
   add_images(&a);
   divide_flow(&a);
   if (part != NULL)
      take_exits(&a);
   add_edges(&a);
   if (part != NULL)
      add_late_bypasses(&a);
   free_adding(&a);
}

/*--- Blocks that only a cut divided                       ---*/

#define SEVERAL (NO_ID - 1)

/* Joining: by id of a begin, or of an end. */
typedef
   struct {
      uint32_t* from;           // a begin's only predecessor, NO_ID or SEVERAL
      uint32_t* to;             // an end's only successor, likewise
      bool*     onward;         // does control only fall through to that?
      uint32_t* root;           // the begin of the block that a begin is in
      uint32_t* place;          // an end's block in the image, by index
   }
   Joining;

static void note_end(uint32_t* ends, uint32_t id, uint32_t other)
{
   ends[id] = ends[id] == NO_ID || ends[id] == other ? other : SEVERAL;
}

static void read_ends(Joining* j, const Merged* m)
{
   for (uint32_t i = 0; i < m->n_ids; i++) {
      j->from[i] = j->to[i] = NO_ID;
      j->root[i] = i;
   }
   for (uint32_t i = 0; i < m->edges.n; i++) {
      const MergedEdge* e = &m->edges.all[i];
      uint64_t          key = keymap_key(m->edges.keys, i);
      bool              ran = false;
      for (uint32_t k = e->row.first; k != 0 && !ran;
           k = m->edges.counts.all[k].next)
         ran = m->edges.counts.all[k].n > 0;
      if (!ran)
         continue;
      note_end(j->to, key >> 32, (uint32_t)key);
      note_end(j->from, (uint32_t)key, key >> 32);
      if (e->passing == PASSES_ONWARD)
         j->onward[key >> 32] = true;
   }
}

/* Append B to the block TO, which ends where B begins, and remove the edge
   between them.  A block with a piece of unknown sizes has unknown sizes. */
static void append(Merged* m, MergedBlock* to, const MergedBlock* b)
{
   uint32_t k = keymap_find(m->edges.keys, (uint64_t)to->end << 32 | b->begin);

   for (k = m->edges.all[k].row.first; k != 0; k = m->edges.counts.all[k].next)
      m->edges.counts.all[k].n = 0;
   to->last_offset = to->size + b->last_offset;
   to->size += b->size;
   to->n_instrs += b->n_instrs;
   to->end = b->end;
   to->sizes = to->sizes == NULL || b->sizes == NULL ? NULL
               : intern(m->names, text_format("%s%s", to->sizes, b->sizes));
}

static void join_blocks(Merged* m, MergedImage* im, Joining* j)
{
   uint32_t n = 0;

   for (uint32_t k = 0; k < im->n_blocks; k++) {
      const MergedBlock* b = &im->blocks[k];
      uint32_t           from = j->from[b->begin];
      uint32_t           at = from < m->n_ids ? j->place[from] : n;
      if (at < n && im->blocks[at].end == from && j->onward[from]
          && j->to[from] == b->begin
          && block_end(&im->blocks[at]) == b->offset) {
         j->root[b->begin] = im->blocks[at].begin;
         append(m, &im->blocks[at], b);
      } else {
         at = n++;
         im->blocks[at] = *b;
      }
      j->place[im->blocks[at].end] = at;
   }
   im->n_blocks = n;
}

/* Let bypasses that lead to a piece lead to its block. */
static void move_bypasses(Merged* m, const uint32_t* root)
{
   MergedEdges* edges = &m->edges;

   for (uint32_t i = 0, n = edges->n; i < n; i++) {
      uint64_t key = keymap_key(edges->keys, i);
      uint32_t type = edges->all[i].type;
      if (edges->all[i].row.first != 0 || root[(uint32_t)key] == (uint32_t)key)
         continue;
      edges->all[i].type = DCFG_EDGE_OTHER;
      edge_of(m, key >> 32, root[(uint32_t)key], type);
   }
}

void join_parts(Merged* m)
{
   Joining j = { zalloc(m->n_ids, sizeof(*j.from)),
                 zalloc(m->n_ids, sizeof(*j.to)),
                 zalloc(m->n_ids, sizeof(*j.onward)),
                 zalloc(m->n_ids, sizeof(*j.root)),
                 zalloc(m->n_ids, sizeof(*j.place)) };

   read_ends(&j, m);
   for (uint32_t i = 0; i < m->n_images; i++) {
      MergedImage* im = &m->images[i];
      /* Before blocks: their ends at cuts tell how far rows overlap. */
      join_rows(im);
      free(im->rows);
      im->rows = im->joined;
      im->n_rows = im->n_joined;
      im->joined = NULL;
      join_blocks(m, im, &j);
   }
   move_bypasses(m, j.root);
   FREE_ALL(j.from, j.to, j.onward, j.root, j.place);
}

/*--- Call bypasses                                        ---*/

void add_call_bypasses(Merged* m)
{
   bool* calls = zalloc(m->n_ids, sizeof(*calls));
   bool* returned = zalloc(m->n_ids, sizeof(*returned));

   for (uint32_t i = 0; i < m->edges.n; i++) {
      const MergedEdge* e = &m->edges.all[i];
      uint64_t          key = keymap_key(m->edges.keys, i);
      if (e->row.first != 0 && e->type == DCFG_EDGE_RETURN)
         returned[(uint32_t)key] = true;
      if (e->row.first != 0 && (e->type == DCFG_EDGE_DIRECT_CALL
                                || e->type == DCFG_EDGE_INDIRECT_CALL))
         calls[key >> 32] = true;
   }
   for (uint32_t i = 0; i < m->n_images; i++) {
      const MergedImage* im = &m->images[i];
      for (uint32_t k = 0; k < im->n_blocks; k++) {
         const MergedBlock* b = &im->blocks[k];
         uint32_t           next = k + 1;
         BISECT(next, im->n_blocks, middle,
                im->blocks[middle].offset < block_end(b));
         if (calls[b->end] && next < im->n_blocks
             && im->blocks[next].offset == block_end(b)
             && returned[im->blocks[next].begin])
            edge_of(m, b->end, im->blocks[next].begin, DCFG_EDGE_CALL_BYPASS);
      }
   }
   FREE_ALL(calls, returned);
}
