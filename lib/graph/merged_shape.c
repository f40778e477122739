/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   The tables of a partial sum. */

/* Owns: MERGED, which dcfg merge --partial writes and format 1.00 does not
   have.  Handed: rows by walk.c; ids by resolve.c.  Taken by: shapes.c, load.c
   and resolve.c.

   Lists of one row stand in arrays of their own, which move while they grow.
   Until merged_resolve() a row has places in them instead of pointers. */

#include "lib/graph/merged_shape.h"
#include "lib/graph/image_shape.h"

#include <string.h>

static MergedTables* tables(Load* l)
{
   return &last_process(l)->merged;
}

/* Return index N in the form of a pointer, which the real pointer replaces
   later. */
static const void* place_of(size_t n)
{
   return (const void*)(uintptr_t)n;
}

/*--- Runs                                                 ---*/

enum { RUN_ID, RUN_INSTRS, RUN_HASH, RUN_THREADS, RUN_FIRST_PART, RUN_PART,
       RUN_LAST_PART, RUN_PRECEDING, RUN_FOLLOWING };

static bool keep_counts(Load* l, const Frame* f, uint32_t field)
{
   size_t    n = length(f, field);
   uint64_t* to;

   if (n == 0)
      return true;
   to = array_add_n(l->job, &tables(l)->counts, sizeof(*to), n);
   if (to == NULL)
      return false;
   memcpy(to, list(l->walk, f, field), n * sizeof(*to));
   return true;
}

static bool close_run(void* arg, const Frame* f)
{
   Load*          l = arg;
   MergedTables*  t = tables(l);
   DcfgMergedRun* r = array_add(l->job, &t->runs, sizeof(*r));

   if (r == NULL)
      return false;
   r->id = number(f, RUN_ID);
   r->instr_count = number(f, RUN_INSTRS);
   r->hash = number(f, RUN_HASH);
   r->n_threads = (uint32_t)number(f, RUN_THREADS);
   r->first_part = (uint32_t)number(f, RUN_FIRST_PART);
   r->part = (uint32_t)number(f, RUN_PART);
   r->last_part = (uint32_t)number(f, RUN_LAST_PART);
   r->n_preceding = (uint32_t)length(f, RUN_PRECEDING);
   r->n_following = (uint32_t)length(f, RUN_FOLLOWING);
   r->preceding = place_of(t->counts.n);
   r->following = place_of(t->counts.n + r->n_preceding);
   return keep_counts(l, f, RUN_PRECEDING)
          && keep_counts(l, f, RUN_FOLLOWING);
}

static const Field run_fields[] = {
   { "PROCESS_ID", V_INT, F_NEEDED, BITS64, NULL },
   { "INSTR_COUNT", V_INT, F_NEEDED, BITS64, NULL },
   { "HASH", V_INT, F_NEEDED | F_HEX, BITS64, NULL },
   { "NUM_THREADS", V_INT, F_NEEDED, BITS32, NULL },
   { "FIRST_PART_NUM", V_INT, F_NEEDED, ID_0, NULL },
   { "PART_NUM", V_INT, F_NEEDED, ID_0, NULL },
   { "LAST_PART_NUM", V_INT, F_NEEDED, ID_0, NULL },
   { "PRECEDING_INSTR_COUNT_PER_THREAD", V_INTS, F_NEEDED, BITS64, NULL },
   { "FOLLOWING_INSTR_COUNT_PER_THREAD", V_INTS, F_NEEDED, BITS64, NULL }
};
static const Shape runs = { V_TABLE, false, 9, run_fields,
                            NULL, close_run, NULL };

/*--- Images                                               ---*/

enum { HOME_IMAGE, HOME_RUN, HOME_NUMBER, HOME_LOAD, HOME_TURN };

static bool close_home(void* arg, const Frame* f)
{
   Load*           l = arg;
   DcfgMergedHome* h = array_add(l->job, &tables(l)->homes, sizeof(*h));

   if (h == NULL)
      return false;
   h->image = (uint32_t)number(f, HOME_IMAGE);
   h->run = (uint32_t)number(f, HOME_RUN);
   h->number = (uint32_t)number(f, HOME_NUMBER);
   h->load_addr = number(f, HOME_LOAD);
   h->turn = (uint32_t)number(f, HOME_TURN);
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

enum { GROUP_HASH, GROUP_RUNS, GROUP_IMAGES };

static bool close_group(void* arg, const Frame* f)
{
   Load*            l = arg;
   MergedTables*    t = tables(l);
   DcfgMergedGroup* g = array_add(l->job, &t->groups, sizeof(*g));

   if (g == NULL)
      return false;
   g->hash = number(f, GROUP_HASH);
   g->n_runs = (uint32_t)length(f, GROUP_RUNS);
   g->n_images = (uint32_t)length(f, GROUP_IMAGES);
   g->runs = place_of(t->members.n);
   g->images = place_of(t->members.n + g->n_runs);
   return keep_ids(l, &t->members, f, GROUP_RUNS)
          && keep_ids(l, &t->members, f, GROUP_IMAGES);
}

static const Field group_fields[] = {
   { "HASH", V_INT, F_NEEDED | F_HEX, BITS64, NULL },
   { "RUN_NUMS", V_INTS, F_NEEDED, BITS32, NULL },
   { "IMAGE_IDS", V_INTS, F_NEEDED, ID, NULL }
};
static const Shape groups = { V_TABLE, false, 3, group_fields,
                              NULL, close_group, NULL };

/*--- Source rows                                          ---*/

enum { RAW_IMAGE, RAW_FILE, RAW_LINE, RAW_ADDR, RAW_SIZE, RAW_INSTRS };

static bool close_row(void* arg, const Frame* f)
{
   Load*          l = arg;
   DcfgMergedRow* r = array_add(l->job, &tables(l)->rows, sizeof(*r));

   if (r == NULL)
      return false;
   r->image = (uint32_t)number(f, RAW_IMAGE);
   r->file = (uint32_t)number(f, RAW_FILE);
   r->line = (uint32_t)number(f, RAW_LINE);
   r->offset = number(f, RAW_ADDR);
   r->size = number(f, RAW_SIZE);
   r->n_instrs = (uint32_t)number(f, RAW_INSTRS);
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

/*--- The whole                                            ---*/

enum { LEFT_FILE, LEFT_REASON };

static bool close_left_out(void* arg, const Frame* f)
{
   Load*        l = arg;
   DcfgLeftOut* o = array_add(l->job, &tables(l)->left_out, sizeof(*o));

   if (o == NULL)
      return false;
   o->file = keep_text(l, f, LEFT_FILE);
   o->reason = keep_text(l, f, LEFT_REASON);
   return o->file != NULL && o->reason != NULL;
}

static const Field left_fields[] = {
   { "FILE_NAME", V_STRING, F_NEEDED, 0, 0, NULL },
   { "REASON", V_STRING, F_NEEDED, 0, 0, NULL }
};
static const Shape left_out = { V_TABLE, false, 2, left_fields,
                                NULL, close_left_out, NULL };

enum { M_THREADS, M_BUILDS, M_FILES, M_RUNS, M_HOMES, M_GROUPS, M_ENTRIES,
       M_ADDED, M_ROWS, M_OVERLAPPING, M_LEFT_OUT };

static bool close_merged(void* arg, const Frame* f)
{
   Load*         l = arg;
   MergedTables* t = tables(l);

   t->shown.threads = keep_text(l, f, M_THREADS);
   t->shown.builds = keep_text(l, f, M_BUILDS);
   t->shown.n_files = number(f, M_FILES);
   return t->shown.threads != NULL && t->shown.builds != NULL
          && keep_ids(l, &t->entries, f, M_ENTRIES)
          && keep_ids(l, &t->added, f, M_ADDED)
          && keep_ids(l, &t->overlapping, f, M_OVERLAPPING);
}

static const Field merged_fields[] = {
   { "THREADS", V_STRING, F_NEEDED, 0, 0, NULL },
   { "BUILDS", V_STRING, F_NEEDED, 0, 0, NULL },
   { "NUM_FILES", V_INT, F_NEEDED, BITS64, NULL },
   { "RUNS", V_TABLE, F_NEEDED, 0, 0, &runs },
   { "HOMES", V_TABLE, F_NEEDED, 0, 0, &homes },
   { "GROUPS", V_TABLE, F_NEEDED, 0, 0, &groups },
   { "ENTRY_NODE_IDS", V_INTS, F_NEEDED, ID, NULL },
   { "ADDED_EDGE_IDS", V_INTS, F_NEEDED, ID, NULL },
   { "ROWS", V_TABLE, F_NEEDED, 0, 0, &rows },
   { "OVERLAPPING_IMAGE_IDS", V_INTS, F_NEEDED, ID, NULL },
   { "LEFT_OUT", V_TABLE, F_NEEDED, 0, 0, &left_out }
};
const Shape merged_shape = { V_OBJECT, false, 11, merged_fields,
                             NULL, close_merged, NULL };

/*--- From ids to indices                                  ---*/

/* Return the index of the image with ID.  The only writer numbers images from
   1. */
static uint32_t image_index(const Process* p, uint32_t id)
{
   return id > 0 && id <= p->images.n
          && ELEM(p->images, DcfgImage, id - 1).id == id ? id - 1 : DCFG_NONE;
}

static void resolve_list(uint32_t* ids, size_t n, const IdMap* map)
{
   for (size_t i = 0; i < n; i++)
      ids[i] = id_find(map, ids[i]);
}

static void resolve_groups(const Process* p, MergedTables* t)
{
   uint32_t* members = t->members.data;

   for (size_t i = 0; i < t->groups.n; i++) {
      DcfgMergedGroup* g = &ELEM(t->groups, DcfgMergedGroup, i);
      uint32_t*        images = g->n_images == 0 ? NULL
                                : members + (uintptr_t)g->images;
      g->runs = g->n_runs > 0 ? members + (uintptr_t)g->runs : NULL;
      for (uint32_t k = 0; k < g->n_images; k++)
         images[k] = image_index(p, images[k]);
      g->images = images;
   }
}

static void show_tables(MergedTables* t)
{
   DcfgMerged* s = &t->shown;

#define SHOW(name)                      \
   s->n_##name = (uint32_t)t->name.n;   \
   s->name = t->name.data
   SHOW(runs);
   SHOW(homes);
   SHOW(groups);
   SHOW(entries);
   SHOW(added);
   SHOW(rows);
   SHOW(overlapping);
   SHOW(left_out);
#undef SHOW
}

void merged_resolve(Process* p, const IdMap* files)
{
   MergedTables*   t = &p->merged;
   const uint64_t* counts = t->counts.data;

   if (t->shown.threads == NULL || t->shown.builds == NULL)
      return;
   for (size_t i = 0; i < t->runs.n; i++) {
      DcfgMergedRun* r = &ELEM(t->runs, DcfgMergedRun, i);
      r->preceding = r->n_preceding > 0
                     ? counts + (uintptr_t)r->preceding : NULL;
      r->following = r->n_following > 0
                     ? counts + (uintptr_t)r->following : NULL;
   }
   for (size_t i = 0; i < t->homes.n; i++) {
      DcfgMergedHome* h = &ELEM(t->homes, DcfgMergedHome, i);
      h->image = image_index(p, h->image);
   }
   resolve_groups(p, t);
   for (size_t i = 0; i < t->rows.n; i++) {
      DcfgMergedRow* r = &ELEM(t->rows, DcfgMergedRow, i);
      r->image = image_index(p, r->image);
      r->file = id_find(files, r->file);
   }
   resolve_list(t->entries.data, t->entries.n, &p->node_ids);
   resolve_list(t->added.data, t->added.n, &p->edge_ids);
   for (size_t i = 0; i < t->overlapping.n; i++)
      ELEM(t->overlapping, uint32_t, i)
         = image_index(p, ELEM(t->overlapping, uint32_t, i));
   show_tables(t);
   p->shown.merged = &t->shown;
}

void merged_free(Job* job, MergedTables* t)
{
   array_free(job, &t->runs, sizeof(DcfgMergedRun));
   array_free(job, &t->counts, sizeof(uint64_t));
   array_free(job, &t->homes, sizeof(DcfgMergedHome));
   array_free(job, &t->groups, sizeof(DcfgMergedGroup));
   array_free(job, &t->members, sizeof(uint32_t));
   array_free(job, &t->entries, sizeof(uint32_t));
   array_free(job, &t->added, sizeof(uint32_t));
   array_free(job, &t->overlapping, sizeof(uint32_t));
   array_free(job, &t->rows, sizeof(DcfgMergedRow));
   array_free(job, &t->left_out, sizeof(DcfgLeftOut));
}
