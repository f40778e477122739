/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   A process, added to a sum. */

/* Owns: which images and edges become one, and sums of counts.  Handed:
   processes by cmd_merge.c, as merge_read.c made them.

   An image that the sum has not is taken as it is.  The blocks of another are
   divided by those of the sum, and these by them (merge_divide.c).  Edges of
   the process then get ids of the sum's blocks: an edge leaves the last piece
   of its source, and enters the first piece of its target, from where its flow
   goes on through all pieces.  Those that are in order, almost all, are added
   as they are, from the end, where the sum has room.  A few go the long way, as
   steps: edges at cuts, and those that become the same edge. */

#include "cmd/merge/merge.h"

#include "cmd/base/sums.h"
#include "cmd/machine/code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void add_exact(uint64_t* sum, uint64_t n, const char* what)
{
   if (!add_count(sum, n))
      die("these runs have more than 18,446,744,073,709,551,615 (2^64 - 1) %s "
          "together, the most that a file can have: merge fewer runs", what);
}

/* Add two counts of one thread. */
static MergedCount add_up(MergedCount a, MergedCount b)
{
   uint64_t sum = count_of(a);

   add_exact(&sum, count_of(b), "traversals of an edge");
   return merged_count(a.thread, sum);
}

/*--- Types of edges                                       ---*/

uint16_t passing_of(uint32_t edge_type)
{
   return edge_type == DCFG_EDGE_FALL_THROUGH ? PASSES : TRANSFERS;
}

/* Return the rank of TYPE, for a pair of nodes that several runs give different
   types.  The pair gets one edge, of the type with the lowest rank; of equal
   ones, the first in the format.  A type of the source's last instruction comes
   before a signal that happened to follow it.  A type that is counted comes
   before a bypass. */
static uint32_t type_rank(uint32_t type)
{
   switch (type) {
      case DCFG_EDGE_CONTEXT_CHANGE:        return 1;
      case DCFG_EDGE_CONTEXT_CHANGE_RETURN: return 2;
      case DCFG_EDGE_EXCLUDED_CODE_BYPASS:  return 3;
      case DCFG_EDGE_UNKNOWN:               return 4;
      case DCFG_EDGE_CALL_BYPASS:           return 5;
      case DCFG_EDGE_CONTEXT_CHANGE_BYPASS: return 6;
      default:                              return 0;
   }
}

/* Give E the better one of its type and TYPE, and the stronger passing. */
static void take_type(MergedEdge* e, uint16_t type, uint16_t passing)
{
   uint32_t mine = type_rank(e->type), other = type_rank(type);

   if (other < mine || (other == mine && type < e->type))
      e->type = type;
   if (passing > e->passing)
      e->passing = passing;
}

/*--- Edges in order                                       ---*/

COMPARE(by_ends, MergedEdge, UP(source) ?: UP(target))

COMPARE(by_target, MergedEdge, UP(target))

/* Sort edges by source, whose id is less than N_IDS, and target. */
static void sort_edges(MergedEdges* edges, uint32_t n_ids)
{
   MergedEdge* to;
   size_t*     end;
   size_t      i = 1;

   while (i < edges->n && by_ends(&edges->all[i - 1], &edges->all[i]) <= 0)
      i++;
   if (i >= edges->n)
      return;
   end = zalloc((size_t)n_ids + 1, sizeof(*end));
   to = zalloc(edges->n, sizeof(*to));
   for (i = 0; i < edges->n; i++)
      end[edges->all[i].source + 1]++;
   for (i = 1; i <= n_ids; i++)
      end[i] += end[i - 1];
   for (i = 0; i < edges->n; i++)
      to[end[edges->all[i].source]++] = edges->all[i];
   for (size_t first = 0; first < edges->n; first = end[to[first].source]) {
      size_t behind = end[to[first].source];
      for (i = first + 1; i < behind && to[i - 1].target <= to[i].target; )
         i++;
      if (i < behind)
         qsort(to + first, behind - first, sizeof(*to), by_target);
   }
   free(end);
   free(edges->all);
   edges->all = to;
}

void drop_empty(MergedEdges* edges)
{
   size_t n = 0, from = 0, to = 0;

   for (size_t i = 0; i < edges->n; i++) {
      MergedEdge e = edges->all[i];
      size_t     end = from + e.n_counts;
      bool       bypass = e.n_counts == 0;
      for (e.n_counts = 0; from < end; from++)
         if (e.source != NO_ID && count_of(edges->counts[from]) > 0) {
            edges->counts[to++] = edges->counts[from];
            e.n_counts++;
         }
      if (e.source != NO_ID && (bypass || e.n_counts > 0))
         edges->all[n++] = e;
   }
   edges->n = n;
   edges->n_counts = to;
}

/* Unite the N_A counts before A with the N_B before B, to the place that ends
   before TO, which may be A.  Return the begin of the result. */
static MergedCount* unite_counts(MergedCount* to, const MergedCount* a,
                                 uint32_t n_a, const MergedCount* b,
                                 uint32_t n_b)
{
   while (n_a > 0 || n_b > 0) {
      bool        mine = n_b == 0 || (n_a > 0 && a[-1].thread >= b[-1].thread);
      bool        theirs = n_a == 0 || (n_b > 0
                                        && b[-1].thread >= a[-1].thread);
      MergedCount next = mine ? a[-1] : b[-1];
      if (mine && theirs)
         next = add_up(next, b[-1]);
      *--to = next;
      a -= mine;
      n_a -= mine;
      b -= theirs;
      n_b -= theirs;
   }
   return to;
}

/* Add the edges of B, in order and no two of the same ends, to A.  B's counts
   are where .first says.  Going from the end, A needs no copy. */
static void unite_edges(MergedEdges* a, const MergedEdges* b)
{
   size_t       i = a->n, j = b->n, most = i + j, k = most;
   size_t       n_mine = a->n_counts, most_counts = n_mine + b->n_counts;
   MergedCount* to;
   MergedCount* mine;

   a->all = need(realloc(a->all, (most + 1) * sizeof(*a->all)));
   a->counts = need(realloc(a->counts,
                            (most_counts + 1) * sizeof(*a->counts)));
   mine = a->counts + n_mine;
   to = a->counts + most_counts;
   while (j > 0) {
      int                order = i == 0 ? -1 : by_ends(&a->all[i - 1],
                                                       &b->all[j - 1]);
      const MergedEdge*  theirs = &b->all[j - 1];
      MergedEdge         e = order > 0 ? a->all[i - 1] : *theirs;
      uint32_t           n_a = order >= 0 ? a->all[i - 1].n_counts : 0;
      uint32_t           n_b = order <= 0 ? theirs->n_counts : 0;
      MergedCount*       begin = unite_counts(to, mine, n_a, b->counts
                                              + theirs->first + n_b, n_b);
      if (order == 0)
         take_type(&e, a->all[i - 1].type, a->all[i - 1].passing);
      e.n_counts = (uint32_t)(to - begin);
      a->all[--k] = e;
      to = begin;
      mine -= n_a;
      i -= order >= 0;
      j -= order <= 0;
   }
   /* The edges before these did not move. */
   memmove(a->all + i, a->all + k, (most - k) * sizeof(*a->all));
   a->n = i + (most - k);
   n_mine = (size_t)(a->counts + most_counts - to);
   memmove(mine, to, n_mine * sizeof(*mine));
   a->n_counts = (size_t)(mine - a->counts) + n_mine;
   a->all = need(realloc(a->all, (a->n + 1) * sizeof(*a->all)));
   a->counts = need(realloc(a->counts,
                            (a->n_counts + 1) * sizeof(*a->counts)));
}

/*--- Steps                                                ---*/

COMPARE(by_place, MergedStep, UP(source) ?: UP(target) ?: UP(thread))

void add_step(MergedSteps* steps, MergedStep step)
{
   GROW(steps->all, steps->n, steps->room);
   steps->all[steps->n++] = step;
}

void add_steps(MergedEdges* edges, MergedSteps* steps)
{
   MergedEdges more = { .all = zalloc(steps->n, sizeof(*more.all)),
                        .counts = zalloc(steps->n, sizeof(*more.counts)) };

   if (steps->n > 0)
      qsort(steps->all, steps->n, sizeof(*steps->all), by_place);
   for (size_t i = 0; i < steps->n; i++) {
      const MergedStep* s = &steps->all[i];
      MergedEdge*       e = &more.all[more.n - (more.n > 0)];
      MergedCount*      last = &more.counts[more.n_counts
                                            - (more.n_counts > 0)];
      if (more.n == 0 || e->source != s->source || e->target != s->target) {
         e = &more.all[more.n++];
         *e = (MergedEdge){ s->source, s->target, s->type, PASSES, 0,
                            (uint32_t)more.n_counts };
      }
      take_type(e, s->type, s->count > 0 ? s->passing : PASSES);
      if (s->count == 0)
         continue;
      if (e->n_counts > 0 && last->thread == s->thread) {
         *last = add_up(*last, merged_count(s->thread, s->count));
         continue;
      }
      more.counts[more.n_counts++] = merged_count(s->thread, s->count);
      e->n_counts++;
   }
   if (more.n > 0)
      unite_edges(edges, &more);
   free(more.all);
   free(more.counts);
   free(steps->all);
   *steps = (MergedSteps){ 0 };
}

void loosen(MergedSteps* steps, const MergedEdge* e, const MergedCount* c)
{
   MergedStep s = { e->source, e->target, 0, e->type, e->passing, 0 };

   if (e->n_counts == 0)
      add_step(steps, s);
   for (uint32_t i = 0; i < e->n_counts; i++) {
      s.thread = c[i].thread;
      s.count = count_of(c[i]);
      add_step(steps, s);
   }
}

/*--- Edges at cuts                                        ---*/

/* Make the table of cuts by block, whose ids are less than N_IDS. */
static void list_cuts(Cuts* cuts, uint32_t n_ids)
{
   if (cuts->n == 0)
      return;
   cuts->by_block = zalloc(n_ids, sizeof(*cuts->by_block));
   for (uint32_t i = cuts->n; i-- > 0; )
      cuts->by_block[cuts->all[i].block] = i + 1;
}

/* Return the first cut of a block, and their number in *N; NULL if there are
   none. */
static const Cut* cuts_of(const Cuts* cuts, uint32_t block, uint32_t* n)
{
   uint32_t first = cuts->by_block == NULL ? 0 : cuts->by_block[block];

   *n = 0;
   if (first == 0)
      return NULL;
   while (first - 1 + *n < cuts->n && cuts->all[first - 1 + *n].block == block)
      ++*n;
   return &cuts->all[first - 1];
}

/* Send the flow of an edge to block TARGET, which CUTS may divide, through all
   pieces behind the first.  C: the counts of E. */
static void pass_cuts(Uniting* u, const Cuts* cuts, uint32_t target,
                      const MergedEdge* e, const MergedCount* c)
{
   uint32_t   n;
   const Cut* cut = cuts_of(cuts, target, &n);

   for (uint32_t i = 0; i < n && e->n_counts > 0; i++) {
      MergedEdge over = { cut[i].from, cut[i].to, DCFG_EDGE_FALL_THROUGH,
                          PASSES_ONWARD, e->n_counts, 0 };
      loosen(&u->steps, &over, c);
   }
}

/* Give M's edges that leave or enter blocks which are divided now what they
   need. */
static void cut_edges(Uniting* u)
{
   MergedEdges* edges = &u->m->edges;
   size_t       next = 0;

   for (size_t i = 0; i < edges->n && u->old.n > 0; i++) {
      MergedEdge*        e = &edges->all[i];
      const MergedCount* c = edges->counts + next;
      uint32_t           n;
      const Cut*         cut = cuts_of(&u->old, e->source, &n);
      pass_cuts(u, &u->old, e->target, e, c);
      next += e->n_counts;
      if (n == 0)
         continue;
      e->source = cut[n - 1].to;
      loosen(&u->steps, e, c);
      e->source = NO_ID;
   }
   if (u->old.n > 0)
      drop_empty(edges);
}

/* Give the edges of the process ids of M, and its threads their numbers. */
static void move_edges(Uniting* u, uint32_t first_thread)
{
   MergedEdges*    edges = &u->in->sum.edges;
   const uint32_t* first = u->in->first;

   for (size_t i = 0; i < edges->n_counts && first_thread > 0; i++)
      edges->counts[i].thread += first_thread;
   for (size_t i = 0; i < edges->n; i++) {
      MergedEdge* e = &edges->all[i];
      uint32_t    n;
      const Cut*  cut = cuts_of(&u->new, e->source, &n);
      pass_cuts(u, &u->new, e->target, e, edges->counts + e->first);
      e->source = n > 0 ? cut[n - 1].to : first[e->source];
      e->target = first[e->target];
   }
}

/* Put the process's edges in order.  An edge with the same ends as the one
   before it becomes steps. */
static void order_edges(Uniting* u)
{
   MergedEdges* edges = &u->in->sum.edges;
   size_t       n = 0;

   sort_edges(edges, u->m->n_ids);
   for (size_t i = 0; i < edges->n; i++) {
      const MergedEdge* e = &edges->all[i];
      if (n > 0 && by_ends(&edges->all[n - 1], e) == 0)
         loosen(&u->steps, e, edges->counts + e->first);
      else
         edges->all[n++] = *e;
   }
   edges->n = n;
}

/*--- Images                                               ---*/

void die_other(const Uniting* u, const char* what, uint64_t offset)
{
   die("%s: %s is not the build of the other runs: %s%s; merge each build by "
       "itself, or use --builds=apart", u->in->path,
       text_clean(u->in->sum.images[u->image].name), what,
       offset == NOWHERE ? ""
       : text_format(", at 0x%" PRIx64 " from where it is loaded", offset));
}

uint32_t new_id(Uniting* u)
{
   if (u->m->n_ids >= INT32_MAX)
      die("%s: there would be too many blocks", u->in->path);
   return u->m->n_ids++;
}

/* Die if both images have build ids, or hashes of their code, and these
   differ, or if they have other symbols. */
static void compare_builds(const Uniting* u, const MergedImage* a,
                           const MergedImage* b)
{
   if ((a->build_id != NULL && b->build_id != NULL
        && a->build_id != b->build_id)
       || (a->code_hash != NULL && b->code_hash != NULL
           && a->code_hash != b->code_hash))
      die_other(u, b->build_id != NULL ? "its build id differs"
                : "its code differs", NOWHERE);
   if (a->n_symbols == 0 || b->n_symbols == 0)
      return;
   for (uint32_t i = 0; i < a->n_symbols || i < b->n_symbols; i++) {
      const MergedSymbol* x = &a->symbols[i];
      const MergedSymbol* y = &b->symbols[i];
      if (i >= a->n_symbols || i >= b->n_symbols || x->name != y->name
          || x->offset != y->offset || x->size != y->size)
         die_other(u, "its symbols differ",
                   i < a->n_symbols ? x->offset : y->offset);
   }
}

/* Add the rows of FROM to those of TO, each once. */
static void unite_rows(const Uniting* u, MergedImage* to,
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
         die_other(u, "its source lines differ", r->offset);
   }
   free(to->rows);
   to->rows = rows;
   to->n_rows = n;
}

static void swap_symbols(MergedImage* a, MergedImage* b)
{
   MergedSymbol* symbols = a->symbols;
   uint32_t      n = a->n_symbols;

   a->symbols = b->symbols;
   a->n_symbols = b->n_symbols;
   b->symbols = symbols;
   b->n_symbols = n;
}

/* Add FROM to M's image TO. */
static void unite_image(Uniting* u, MergedImage* to, MergedImage* from)
{
   compare_builds(u, to, from);
   u->n_guessed = 0;
   divide_blocks(u, to, from);
   unite_rows(u, to, from);
   if (u->n_guessed > 0)
      complain("%s: there is no file %s: %s block%s divided by numbers of "
               "instructions alone; --root=DIR names a directory with the file",
               u->in->path, text_clean(to->name), text_count(u->n_guessed),
               u->n_guessed == 1 ? " is" : "s are");
   if (from->size > to->size)
      to->size = from->size;
   to->overlapping = to->overlapping || from->overlapping;
   if (to->build_id == NULL)
      to->build_id = from->build_id;
   if (to->code_hash == NULL)
      to->code_hash = from->code_hash;
   if (to->n_symbols == 0)
      swap_symbols(to, from);
   if (u->in->sum.n_runs > 0
       && run_order(&u->m->runs[from->home], &u->m->runs[to->home]) < 0) {
      to->home = from->home;
      to->number = from->number;
      to->load = from->load;
   }
}

static void add_image(Uniting* u, uint32_t i)
{
   Merged*      m = u->m;
   MergedImage* from = &u->in->sum.images[i];
   uint32_t     place = keymap_number(m->places, from->key);

   u->image = i;
   if (place < m->n_images) {
      unite_image(u, &m->images[place], from);
      return;
   }
   for (uint32_t k = 0; k < from->n_blocks; k++) {
      uint32_t id = new_id(u);
      u->in->first[from->blocks[k].id] = id;
      from->blocks[k].id = id & INT32_MAX;
   }
   GROW(m->images, m->n_images, m->images_room);
   m->images[m->n_images++] = *from;
   from->blocks = NULL;
   from->symbols = NULL;
   from->rows = NULL;
}

/*--- Runs                                                 ---*/

/* Add the runs and threads.  Return the number of the first thread. */
static uint32_t add_runs(Merged* m, Incoming* in)
{
   Merged*  sum = &in->sum;
   uint32_t first = m->keep ? m->n_threads : 0;
   uint64_t n = (uint64_t)first + sum->n_threads;

   if (n >= UINT32_MAX)
      die("%s: there would be too many threads", in->path);
   if (n > m->n_threads) {
      m->thread_instrs = need(realloc(m->thread_instrs,
                                      n * sizeof(*m->thread_instrs)));
      memset(m->thread_instrs + m->n_threads, 0,
             (n - m->n_threads) * sizeof(*m->thread_instrs));
      m->n_threads = (uint32_t)n;
   }
   for (uint32_t t = 0; t < sum->n_threads; t++)
      add_exact(&m->thread_instrs[first + t], sum->thread_instrs[t],
                "instructions of a thread");
   for (uint32_t i = 0; i < sum->n_images; i++)
      sum->images[i].home += m->n_runs;
   for (uint32_t i = 0; i < sum->n_runs; i++) {
      GROW(m->runs, m->n_runs, m->runs_room);
      m->runs[m->n_runs] = sum->runs[i];
      m->runs[m->n_runs++].first_thread += first;
      sum->runs[i].before = sum->runs[i].after = NULL;
   }
   return first;
}

void merged_add(Merged* m, Incoming* in, const DcfgPart* part)
{
   Uniting  u = { .m = m, .in = in };
   uint32_t first_thread;

   if (part == NULL && m->n_runs > 0 && m->with_blocks != in->sum.with_blocks)
      die("%s: %s", in->path, m->with_blocks
          ? "it has no blocks, but other runs have" : "it has blocks, but "
                                                      "other runs have none");
   /* A part may have no blocks: nothing ran between two cuts. */
   m->with_blocks = m->with_blocks || in->sum.with_blocks;
   m->with_routines = m->with_routines || in->sum.with_routines;
   first_thread = add_runs(m, in);
   in->first = zalloc(in->sum.n_ids, sizeof(*in->first));
   for (uint32_t i = 0; i < MERGED_BLOCK; i++)
      in->first[i] = i;
   for (uint32_t i = 0; i < in->sum.n_images; i++)
      add_image(&u, i);
   list_cuts(&u.old, m->n_ids);
   list_cuts(&u.new, in->sum.n_ids);
   cut_edges(&u);
   move_edges(&u, first_thread);
   if (part != NULL)
      join_threads(&u, part);
   order_edges(&u);
   unite_edges(&m->edges, &in->sum.edges);
   add_steps(&m->edges, &u.steps);
   if (u.code != NULL)
      code_free(u.code);
   free(u.old.all);
   free(u.old.by_block);
   free(u.new.all);
   free(u.new.by_block);
}
