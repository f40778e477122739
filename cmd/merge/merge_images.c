/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The images of a run and of a sum. */

/* Owns: the images of runs and of sums.  Handed: a run's process by
   merge_runs.c. */

#include "cmd/merge/merge_images.h"

#include <stdlib.h>
#include <string.h>

/*--- A run's images                                       ---*/

static void* copy(const void* from, size_t n, size_t size)
{
   void* to = zalloc(n, size);

   if (n > 0)
      memcpy(to, from, n * size);
   return to;
}

static bool is_idle(const DcfgProcess* p, uint32_t node)
{
   uint64_t count = p->nodes[node].count;

   return (count == 0 || count == DCFG_NO_COUNT)
          && dcfg_node_inflow(p, node, DCFG_ALL_THREADS) == 0;
}

static void read_blocks(const DcfgProcess* p, const DcfgImage* im,
                        MergedImage* to, uint32_t* number, uint64_t* idle)
{
   const char* sizes = im->instr_sizes;
   size_t      n_sizes = 0;

   to->blocks = zalloc(im->n_nodes, sizeof(*to->blocks));
   if (sizes != NULL)
      to->sizes = zalloc(strlen(sizes) + 1, 1);
   for (uint32_t i = 0; i < im->n_nodes; i++) {
      uint32_t        node = im->first_node + i;
      const DcfgNode* n = &p->nodes[node];
      number[node] = UINT32_MAX;
      if (is_idle(p, node)) {
         ++*idle;
         sizes += sizes == NULL ? 0 : n->n_instrs;
         continue;
      }
      if (sizes != NULL) {
         memcpy(to->sizes + n_sizes, sizes, n->n_instrs);
         n_sizes += n->n_instrs;
         sizes += n->n_instrs;
      }
      number[node] = to->n_blocks;
      to->blocks[to->n_blocks++] = (MergedBlock){
         n->addr - im->load_addr, n->size, n->n_instrs, n->last_offset,
         dcfg_routine_by_entry(p, node) != DCFG_NONE };
   }
}

static void read_symbols(const DcfgProcess* p, const DcfgImage* im,
                         Interned* names, MergedImage* to)
{
   to->n_symbols = im->n_symbols;
   to->symbols = zalloc(im->n_symbols, sizeof(*to->symbols));
   for (uint32_t i = 0; i < im->n_symbols; i++) {
      const DcfgSymbol* s = &p->symbols[im->first_symbol + i];
      to->symbols[i] = (MergedSymbol){ intern(names, s->name),
                                       s->addr - im->load_addr, s->size };
   }
}

/* Read the rows of SOURCE_DATA.  FILES: by file, its interned name, or NULL so
   far. */
static void read_rows(const Program* g, const DcfgImage* im, Interned* names,
                      const char** files, MergedImage* to)
{
   to->rows = zalloc(im->n_sources, sizeof(*to->rows));
   for (uint32_t i = 0; i < im->n_sources; i++) {
      const DcfgSource* s = &g->p->sources[im->first_source + i];
      if (s->file >= g->d->n_files || s->size > UINT32_MAX)
         continue;
      if (files[s->file] == NULL)
         files[s->file] = intern(names, g->d->files[s->file].name);
      to->rows[to->n_rows++] = (MergedRow){
         files[s->file], s->addr - im->load_addr, s->size, s->line,
         s->n_instrs };
   }
   sort_rows(to->rows, to->n_rows);
   to->overlapping = rows_overlap(to->rows, to->n_rows);
}

MergedImage* read_images(const Program* g, Interned* names, uint32_t* number,
                         uint64_t* idle)
{
   const DcfgProcess* p = g->p;
   MergedImage*       images = zalloc(p->n_images, sizeof(*images));
   const char**       files = zalloc(g->d->n_files, sizeof(*files));

   for (uint32_t i = 0; i < p->n_images; i++) {
      const DcfgImage* im = &p->images[i];
      MergedImage*     to = &images[i];
      to->name = intern(names, g->d->files[im->file].name);
      to->number = i;
      to->group = NO_GROUP;
      to->load = im->load_addr;
      to->size = im->size;
      if (im->build_id != NULL)
         to->build_id = intern(names, im->build_id);
      if (im->code_hash != NULL)
         to->code_hash = intern(names, im->code_hash);
      read_blocks(p, im, to, number, idle);
      read_symbols(p, im, names, to);
      read_rows(g, im, names, files, to);
   }
   free(files);
   return images;
}

static void free_image(MergedImage* im)
{
   free(im->blocks);
   free(im->symbols);
   free(im->rows);
   free(im->sizes);
}

void free_images(MergedImage* images, uint32_t n)
{
   for (uint32_t i = 0; i < n; i++)
      free_image(&images[i]);
   free(images);
}

/*--- The sum's                                            ---*/

void merged_clear(Merged* m)
{
   free_images(m->images, m->n_images);
   free_edges(&m->edges);
   free(m->thread_instrs);
   for (uint32_t i = 0; i < m->n_runs; i++) {
      free(m->runs[i].before);
      free(m->runs[i].after);
   }
   free(m->runs);
   for (uint32_t i = 0; i < m->n_groups; i++) {
      free(m->groups[i].runs);
      free(m->groups[i].images);
   }
   free(m->groups);
}

/* Identity: what makes an image the same in another run.  Equal names are equal
   pointers. */
typedef
   struct {
      uintptr_t name, build;
      uint32_t  turn, index;
   }
   Identity;

COMPARE(by_name, Identity, UP(name) ?: UP(build) ?: UP(turn) ?: UP(index))

static uintptr_t build_of(const MergedImage* im)
{
   return (uintptr_t)(im->build_id != NULL ? im->build_id : im->code_hash);
}

static Identity* sort_names(const MergedImage* images, uint32_t n, bool apart)
{
   Identity* all = zalloc(n, sizeof(*all));

   for (uint32_t i = 0; i < n; i++)
      all[i] = (Identity){ (uintptr_t)images[i].name,
                           apart ? build_of(&images[i]) : 0, images[i].turn,
                           i };
   if (n > 0)
      qsort(all, n, sizeof(*all), by_name);
   return all;
}

static int compare_identities(const Identity* a, const Identity* b)
{
   Identity c = *b;

   c.index = a->index;
   return by_name(a, &c);
}

void number_turns(MergedImage* images, uint32_t n, bool apart)
{
   Identity* all;

   for (uint32_t i = 0; i < n; i++)
      images[i].turn = 0;
   all = sort_names(images, n, apart);
   for (uint32_t i = 1; i < n; i++)
      if (all[i].name == all[i - 1].name && all[i].build == all[i - 1].build)
         images[all[i].index].turn = images[all[i - 1].index].turn + 1;
   free(all);
}

uint32_t* find_images(const Merged* m, const MergedImage* images, uint32_t n)
{
   Identity* mine = sort_names(m->images, m->n_images, m->apart);
   Identity* theirs = sort_names(images, n, m->apart);
   uint32_t* place = zalloc(n, sizeof(*place));
   uint32_t  k = 0;

   for (uint32_t i = 0; i < n; i++) {
      uint32_t index = theirs[i].index;
      while (k < m->n_images && compare_identities(&mine[k], &theirs[i]) < 0)
         k++;
      place[index] = k < m->n_images && has_file(&images[index])
                     && compare_identities(&mine[k], &theirs[i]) == 0
                     ? mine[k++].index : UINT32_MAX;
   }
   free(mine);
   free(theirs);
   return place;
}

uint32_t image_add(Merged* m, const MergedImage* like)
{
   if (m->n_images == m->room) {
      m->room = m->room == 0 ? 64 : 2 * m->room;
      m->images = need(realloc(m->images, m->room * sizeof(*m->images)));
   }
   m->images[m->n_images] = (MergedImage){ .name = like->name,
                                           .turn = like->turn,
                                           .home = like->home,
                                           .number = like->number,
                                           .group = like->group,
                                           .load = like->load,
                                           .size = like->size };
   return m->n_images++;
}

void set_group(MergedImage* im, uint32_t group)
{
   im->group = group;
}

void set_home(MergedImage* im, uint32_t run)
{
   im->home = run;
}

void take_home(MergedImage* to, const MergedImage* from)
{
   to->home = from->home;
   to->number = from->number;
   to->load = from->load;
}

void drop_groups(Merged* m)
{
   uint32_t n = 0;

   for (uint32_t i = 0; i < m->n_images; i++)
      if (m->images[i].group == NO_GROUP)
         m->images[n++] = m->images[i];
   m->n_images = n;
}

/* Equal texts are equal pointers. */
bool other_build(const MergedImage* a, const MergedImage* b)
{
   return (a->build_id != NULL && b->build_id != NULL
           && a->build_id != b->build_id)
          || (a->code_hash != NULL && b->code_hash != NULL
              && a->code_hash != b->code_hash);
}

bool same_symbols(const MergedImage* a, const MergedImage* b, uint64_t* where)
{
   if (a->n_symbols == 0 || b->n_symbols == 0)
      return true;
   for (uint32_t i = 0; i < a->n_symbols || i < b->n_symbols; i++) {
      const MergedSymbol* x = &a->symbols[i];
      const MergedSymbol* y = &b->symbols[i];
      *where = i < a->n_symbols ? x->offset : y->offset;
      if (i >= a->n_symbols || i >= b->n_symbols || x->name != y->name
          || x->offset != y->offset || x->size != y->size)
         return false;
   }
   return true;
}

MergedRow* copy_rows(const MergedImage* from)
{
   return copy(from->rows, from->n_rows, sizeof(*from->rows));
}

void take_image(MergedImage* to, const MergedImage* from, const Division* d,
                MergedRow* rows, uint32_t n_rows, char* sizes)
{
   if (from->size > to->size)
      to->size = from->size;
   to->overlapping = to->overlapping || from->overlapping;
   if (to->build_id == NULL)
      to->build_id = from->build_id;
   if (to->code_hash == NULL)
      to->code_hash = from->code_hash;
   if (to->n_symbols == 0 && from->n_symbols > 0) {
      free(to->symbols);
      to->symbols = copy(from->symbols, from->n_symbols,
                         sizeof(*from->symbols));
      to->n_symbols = from->n_symbols;
   }
   free(to->blocks);
   to->blocks = copy(d->blocks, d->n, sizeof(*d->blocks));
   to->n_blocks = d->n;
   free(to->rows);
   to->rows = rows;
   to->n_rows = n_rows;
   free(to->sizes);
   to->sizes = sizes;
}

/*--- Divisions of nothing                                 ---*/

static void number_all(Pieces* p, uint32_t n)
{
   *p = (Pieces){ 0 };
   p->first = zalloc(n, sizeof(*p->first));
   p->last = zalloc(n, sizeof(*p->last));
   for (uint32_t i = 0; i < n; i++)
      p->first[i] = p->last[i] = i;
}

void whole_division(Division* d, const MergedBlock* b, uint32_t n)
{
   *d = (Division){ 0 };
   d->blocks = copy(b, n, sizeof(*b));
   d->n = n;
   number_all(&d->b, n);
}

void keep_division(Division* d, uint32_t n)
{
   *d = (Division){ 0 };
   number_all(&d->a, n);
}
