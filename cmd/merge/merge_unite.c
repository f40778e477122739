/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A process, added to a sum. */

/* Owns: which images become one, where edges go if blocks are divided, and how
   parts of a run are joined.  Handed: processes, and parts in their order, by
   cmd_merge.c.

   An image that the sum has not is taken as it is.  The blocks of another are
   divided by those of the sum, and these by them (merge_divide.c).  Then each
   block of the process has an id of the sum, and its edges are read.  An edge
   leaves the last piece of its source.  It enters the first piece of its target,
   and its flow goes on through all pieces.  The sum's own edges at blocks that
   are divided now join them, and all are added.

   Where a run was cut, each thread has an EXIT edge in one part and an ENTRY
   edge in the next part in which it runs.  That part says which edge these
   stand for, or that the thread was in the middle of a block.  The pieces of
   such blocks are joined in the end. */

#include "cmd/merge/merge.h"

#include "cmd/program/code.h"

/*--- Edges at cuts                                        ---*/

COMPARE(by_block, Cut, UP(block) ?: UP(order))

static void sort_cuts(Cuts* cuts)
{
   for (uint32_t i = 0; i < cuts->n; i++)
      cuts->all[i].order = i;
   SORT(cuts->all, cuts->n, by_block);
}

/* Return the first cut of a block, and their number in *N; NULL if there are
   none. */
static const Cut* cuts_of(const Cuts* cuts, uint32_t block, uint32_t* n)
{
   uint32_t low = 0;

   BISECT(low, cuts->n, middle, cuts->all[middle].block < block);
   for (*n = 0; low + *n < cuts->n && cuts->all[low + *n].block == block; )
      ++*n;
   return *n == 0 ? NULL : &cuts->all[low];
}

/* Send the flow of E, which enters block TARGET, through all pieces behind the
   first. */
static void pass_cuts(MergedEdges* edges, const Cuts* cuts, uint32_t target,
                      const MergedEdge* e)
{
   uint32_t   n;
   const Cut* cut = cuts_of(cuts, target, &n);

   for (uint32_t i = 0; i < n && e->n_counts > 0; i++)
      put_edge(edges, (MergedEdge){ cut[i].from, cut[i].to,
                                    DCFG_EDGE_FALL_THROUGH, PASSES_ONWARD,
                                    e->n_counts, e->first });
}

/* Take M's edges that leave blocks which are divided now out of M.  Edges that
   enter these go on through the pieces. */
static void cut_edges(Addition* a)
{
   MergedEdges* edges = &a->m->edges;
   size_t       next = 0;

   if (a->old.n == 0)
      return;
   for (size_t i = 0; i < edges->n; i++) {
      MergedEdge* e = &edges->all[i];
      MergedEdge  to = *e;
      uint32_t    n_out, n_in;
      const Cut*  out = cuts_of(&a->old, e->source, &n_out);
      cuts_of(&a->old, e->target, &n_in);
      if (n_out > 0)
         to.source = out[n_out - 1].to;
      if (n_out + n_in > 0) {
         put_edge_with(&a->edges, to, edges->counts + next, to.n_counts);
         to = a->edges.all[a->edges.n - 1];
         a->edges.n -= n_out == 0;
         pass_cuts(&a->edges, &a->old, e->target, &to);
      }
      next += e->n_counts;
      if (n_out > 0)
         e->source = NO_ID;
   }
   drop_empty(edges);
}

/*--- Threads of a part                                    ---*/

/* Return a thread's EXIT in the sum, and the index of its count in *K; NULL if
   there is none. */
static const MergedEdge* exit_of(const MergedEdges* edges, uint32_t thread,
                                 size_t* k)
{
   *k = 0;
   for (size_t i = 0; i < edges->n; i++)
      for (size_t end = *k + edges->all[i].n_counts; *k < end; ++*k)
         if (edges->all[i].target == MERGED_END
             && edges->counts[*k].thread == thread
             && count_of(edges->counts[*k]) > 0)
            return &edges->all[i];
   return NULL;
}

/* Make of E, an ENTRY of a thread that goes on as C tells, the edge from its EXIT
   in the sum.  The part with that may be missing. */
static void continue_thread(Addition* a, const DcfgContinued* c, MergedEdge* e)
{
   bool              inside = c->type == DCFG_NONE;
   uint32_t          type = inside ? DCFG_EDGE_FALL_THROUGH : c->type;
   size_t            k;
   const MergedEdge* exit = exit_of(&a->m->edges, c->thread, &k);

   a->n_continued++;
   if (type == DCFG_EDGE_OTHER)
      die_part(a);
   if (exit == NULL)
      return;
   e->source = exit->source;
   e->type = (uint16_t)type;
   e->passing = inside ? PASSES_ONWARD : passing_of(type);
   a->m->edges.counts[k] = merged_count(c->thread, 0);
}

/* Put the ENTRY edge E of a part.  A thread that goes on has an EXIT in the sum:
   both become the edge between them. */
static void put_entry_edges(Addition* a, MergedEdge e)
{
   const DcfgPart* part = a->part;

   for (uint32_t i = 0; i < e.n_counts; i++) {
      MergedEdge to = e;
      to.first += i;
      to.n_counts = 1;
      for (uint32_t k = 0; k < part->n_continued; k++)
         if (part->continued[k].thread == a->edges.counts[to.first].thread)
            continue_thread(a, &part->continued[k], &to);
      put_edge(&a->edges, to);
   }
}

/*--- Late bypasses                                        ---*/

/* Return the block that ends with the instruction at OFFSET, in the image with
   NUMBER; NO_ID if there is none. */
static uint32_t find_end(const Merged* m, uint32_t number, uint64_t offset)
{
   uint32_t           place = keymap_find(m->places, number);
   const MergedImage* im = place < m->n_images ? &m->images[place] : NULL;

   for (uint32_t i = 0; im != NULL && i < im->n_blocks; i++)
      if (im->blocks[i].offset + im->blocks[i].last_offset == offset)
         return im->blocks[i].id;
   return NO_ID;
}

/* End the threads that go on, and add bypasses that lead from earlier parts. */
static void join_threads(Addition* a)
{
   const DcfgPart* part = a->part;

   if (a->n_continued != part->n_continued)
      die_part(a);
   drop_empty(&a->m->edges);
   for (uint32_t i = 0; i < part->n_bypasses; i++) {
      const DcfgLateBypass* late = &part->bypasses[i];
      MergedEdge            e = { find_end(a->m, late->image_number,
                                           late->offset),
                                  late->target == DCFG_NONE ? NO_ID
                                  : a->ids[late->target],
                                  DCFG_EDGE_CONTEXT_CHANGE_BYPASS, PASSES, 0,
                                  0 };
      if (e.source == NO_ID || e.target == NO_ID)
         complain("%s: a bypass leaves 0x%" PRIx64 " of image %" PRIu32 ", "
                  "where no part has a block: it is left out", a->path,
                  late->offset, late->image_number);
      else
         put_edge(&a->edges, e);
   }
}

/*--- Edges of a process                                   ---*/

/* Read the process's edges, with ids of M. */
static void read_edges(Addition* a, uint32_t first_thread)
{
   const DcfgProcess* p = a->g->p;
   MergedEdges*       edges = &a->edges;

   for (uint32_t i = 0; i < p->n_edges; i++) {
      const DcfgEdge* e = &p->edges[i];
      MergedEdge      to = { a->ids[e->source], a->ids[e->target],
                             (uint16_t)e->type, PASSES, 0,
                             (uint32_t)edges->n_counts };
      uint32_t        n;
      const Cut*      cut;
      if ((e->count == 0 && !dcfg_is_bypass(e->type)) || to.source == NO_ID
          || to.target == NO_ID) {
         a->idle++;
         continue;
      }
      for (uint32_t t = 0; t < e->n_counts && e->count > 0; t++) {
         uint64_t count = dcfg_edge_count(p, i, t);
         if (count == 0)
            continue;
         keep_count(edges, merged_count(first_thread + t, count));
         to.n_counts++;
         to.passing = passing_of(to.type);
      }
      if (e->count > 0 && to.n_counts == 0)
         continue;
      cut = cuts_of(&a->new, e->source, &n);
      if (n > 0)
         to.source = cut[n - 1].to;
      if (a->part != NULL && to.source == MERGED_START)
         put_entry_edges(a, to);
      else
         put_edge(edges, to);
      pass_cuts(edges, &a->new, e->target, &to);
   }
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
      const MergedSymbol* s = &x->symbols[i];
      const MergedSymbol* t = &y->symbols[i];
      if (i >= x->n_symbols || i >= y->n_symbols || s->name != t->name
          || s->offset != t->offset || s->size != t->size)
         die_other(a, "its symbols differ",
                   i < x->n_symbols ? s->offset : t->offset);
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
       && run_order(&a->m->runs[from->home], &a->m->runs[to->home]) < 0) {
      to->home = from->home;
      to->number = from->number;
      to->load = from->load;
   }
}

static void add_image(Addition* a, MergedImage* from)
{
   Merged*  m = a->m;
   uint32_t place = keymap_number(m->places, from->key);

   from->home += m->n_runs - a->n_runs;
   if (place < m->n_images) {
      unite_image(a, &m->images[place], from);
      return;
   }
   for (uint32_t k = 0; k < from->n_blocks; k++) {
      uint32_t id = new_id(a);
      a->ids[from->blocks[k].id] = id;
      from->blocks[k].id = id & INT32_MAX;
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
      a->ids[i] = p->nodes[i].kind == DCFG_NODE_START ? MERGED_START
                  : p->nodes[i].kind == DCFG_NODE_END ? MERGED_END
                  : p->nodes[i].kind == DCFG_NODE_UNKNOWN ? MERGED_UNKNOWN
                  : NO_ID;
   for (a->image = 0; a->image < p->n_images; a->image++)
      add_image(a, &a->images[a->image]);
   sort_cuts(&a->old);
   sort_cuts(&a->new);
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
                    .places = keymap_new(), .n_ids = MERGED_BLOCK };
}

void merged_free(Merged* m)
{
   for (uint32_t i = 0; i < m->n_images; i++)
      free_image(&m->images[i]);
   FREE_ALL(m->images, m->runs, m->recorded, m->edges.all, m->edges.counts,
            m->thread_instrs);
   keymap_free(m->places);
   free_calls(&m->calls);
}

/* Add the runs and threads.  Return the number of the first thread. */
static uint32_t add_runs(Addition* a)
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
   return first;
}

static void free_adding(Addition* a)
{
   if (a->idle > 0)
      complain("%s: %s edges and blocks that were never executed are left "
               "out", a->path, text_count(a->idle));
   for (uint32_t i = 0; i < a->g->p->n_images; i++)
      free_image(&a->images[i]);
   FREE_ALL(a->images, a->keys, a->runs, a->ids);
   if (a->code != NULL)
      code_free(a->code);
   FREE_ALL(a->old.all, a->new.all);
}

void merged_add(Merged* m, const Program* g, const MergedRun* run,
                const DcfgPart* part, const char* path, const char* root)
{
   Addition a = { .m = m, .g = g, .part = part, .path = path, .root = root,
                  .ids = zalloc(g->p->n_nodes, sizeof(*a.ids)) };
   bool     has_blocks = g->p->n_blocks > 0;
   uint32_t first_thread;

   if (part == NULL && m->n_runs > 0 && m->with_blocks != has_blocks)
      die("%s: %s", path, m->with_blocks
          ? "it has no blocks, but other runs have" : "it has blocks, but "
                                                      "other runs have none");
   /* A part may have no blocks: nothing ran between two cuts. */
   m->with_blocks = m->with_blocks || has_blocks;
   m->with_routines = m->with_routines || g->p->n_routines > 0;
   read_process(&a, run);
   first_thread = add_runs(&a);
   add_recorded(&a);
   add_calls(&a, first_thread);
   add_images(&a);
   cut_edges(&a);
   read_edges(&a, first_thread);
   if (part != NULL)
      join_threads(&a);
   add_edges(m, &a.edges);
   free_adding(&a);
}

/*--- Blocks that only a cut divided                       ---*/

#define SEVERAL (NO_ID - 1)

/* Joining: by id of a node. */
typedef
   struct {
      uint32_t* from;           // its only predecessor, NO_ID or SEVERAL
      uint32_t* to;             // its only successor, likewise
      bool*     onward;         // does control only fall through to it?
      uint32_t* root;           // the block that it becomes part of
   }
   Joining;

static void note_end(uint32_t* ends, uint32_t node, uint32_t other)
{
   ends[node] = ends[node] == NO_ID || ends[node] == other ? other : SEVERAL;
}

static void read_ends(Joining* j, const Merged* m)
{
   for (uint32_t i = 0; i < m->n_ids; i++) {
      j->from[i] = j->to[i] = NO_ID;
      j->root[i] = i;
   }
   for (size_t i = 0; i < m->edges.n; i++) {
      const MergedEdge* e = &m->edges.all[i];
      if (e->n_counts == 0)
         continue;
      note_end(j->to, e->source, e->target);
      note_end(j->from, e->target, e->source);
      if (e->passing == PASSES_ONWARD)
         j->onward[e->source] = true;
   }
}

/* Append B to the block TO, which ends where B begins.  A block with a piece of
   unknown sizes has unknown sizes. */
static void append(Merged* m, MergedBlock* to, const MergedBlock* b)
{
   to->last_offset = to->size + b->last_offset;
   to->size += b->size;
   to->n_instrs += b->n_instrs;
   to->sizes = to->sizes == NULL || b->sizes == NULL ? NULL
               : intern(m->names, text_format("%s%s", to->sizes, b->sizes));
}

/* Join the blocks of an image.  BY_ID has room for an index for each node. */
static void join_blocks(Merged* m, MergedImage* im, Joining* j,
                        uint32_t* by_id)
{
   uint32_t n = 0;

   for (uint32_t k = 0; k < im->n_blocks; k++) {
      const MergedBlock* b = &im->blocks[k];
      uint32_t           from = j->from[b->id];
      uint32_t           root = from < m->n_ids ? j->root[from] : NO_ID;
      if (root != NO_ID && by_id[root] < n && j->onward[from]
          && j->to[from] == b->id && im->blocks[by_id[root]].id == root
          && block_end(&im->blocks[by_id[root]]) == b->offset) {
         j->root[b->id] = root;
         append(m, &im->blocks[by_id[root]], b);
         continue;
      }
      by_id[b->id] = n;
      im->blocks[n++] = *b;
   }
   im->n_blocks = n;
}

/* Remove edges from a piece to the next piece of the same block; others leave
   the block. */
static void rename_edges(Merged* m, const uint32_t* root)
{
   MergedEdges moved = { 0 };
   size_t      next = 0;

   for (size_t i = 0; i < m->edges.n; i++) {
      MergedEdge* e = &m->edges.all[i];
      MergedEdge  to = *e;
      to.source = root[e->source];
      to.target = root[e->target];
      if ((to.target == e->target && to.source != e->source)
          || (to.target != e->target && e->n_counts == 0))
         put_edge_with(&moved, to, m->edges.counts + next, to.n_counts);
      next += e->n_counts;
      if (to.source != e->source || to.target != e->target)
         e->source = NO_ID;
   }
   drop_empty(&m->edges);
   add_edges(m, &moved);
}

void join_parts(Merged* m)
{
   Joining   j = { zalloc(m->n_ids, sizeof(*j.from)),
                   zalloc(m->n_ids, sizeof(*j.to)),
                   zalloc(m->n_ids, sizeof(*j.onward)),
                   zalloc(m->n_ids, sizeof(*j.root)) };
   uint32_t* by_id = zalloc(m->n_ids, sizeof(*by_id));

   read_ends(&j, m);
   for (uint32_t i = 0; i < m->n_images; i++) {
      MergedImage* im = &m->images[i];
      /* Before blocks: their ends at cuts tell how far rows overlap. */
      join_rows(im);
      free(im->rows);
      im->rows = im->joined;
      im->n_rows = im->n_joined;
      im->joined = NULL;
      join_blocks(m, im, &j, by_id);
   }
   rename_edges(m, j.root);
   FREE_ALL(j.from, j.to, j.onward, j.root, by_id);
}
