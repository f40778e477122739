/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Partial sums: MERGED, read and written. */

/* Owns: what a partial sum says of its runs.  Handed: loaded processes by
   merge_read.c; a sum that is written by merge_write.c.

   A further merge must give the bytes of one merge of all files.  So MERGED has
   what a sum no longer tells: the keys of the runs' order, and for each image
   its first run; edges that only the sum has; where the sum joined source rows,
   the rows as runs have them; and where runs have routines' entries in images
   without symbols. */

#include "cmd/merge/merge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/*--- Faults                                               ---*/

static bool fits_threads(const DcfgProcess* p)
{
   const DcfgMerged* s = p->merged;
   bool              keep = strcmp(s->threads, "keep") == 0;
   uint64_t          sum = 0, most = 0;

   if (!keep && strcmp(s->threads, "add") != 0)
      return false;
   for (uint32_t i = 0; i < s->n_runs; i++) {
      sum += s->runs[i].n_threads;
      if (s->runs[i].n_threads > most)
         most = s->runs[i].n_threads;
   }
   return (keep ? sum : most) == p->n_threads;
}

/* Return whether N indices are all less than END. */
static bool fits_all(const uint32_t* indices, uint32_t n, uint32_t end)
{
   for (uint32_t i = 0; i < n; i++)
      if (indices[i] >= end)
         return false;
   return true;
}

const char* partial_fault(const Program* g)
{
   const DcfgMerged* s = g->p->merged;
   bool              fits = fits_threads(g->p) && s->n_homes == g->p->n_images
                            && fits_all(s->entries, s->n_entries,
                                        g->p->n_blocks)
                            && fits_all(s->added, s->n_added, g->p->n_edges)
                            && fits_all(s->overlapping, s->n_overlapping,
                                        g->p->n_images)
                            && (strcmp(s->builds, "one") == 0
                                || strcmp(s->builds, "apart") == 0);

   for (uint32_t i = 0; fits && i < s->n_homes; i++)
      fits = s->homes[i].image == i && s->homes[i].run < s->n_runs;
   for (uint32_t i = 0; fits && i < s->n_rows; i++)
      fits = s->rows[i].image < g->p->n_images
             && s->rows[i].file < g->d->n_files;
   return fits ? NULL : "what it says of itself as a partial sum does not fit";
}

/*--- Read                                                 ---*/

static uint64_t* copy_counts(const uint64_t* from, uint32_t n)
{
   uint64_t* to = zalloc(n, sizeof(*to));

   if (n > 0)
      memcpy(to, from, n * sizeof(*to));
   return to;
}

static void read_runs(Incoming* in)
{
   const DcfgMerged* s = in->g->p->merged;
   uint32_t          thread = 0;

   in->sum.runs = zalloc(s->n_runs, sizeof(*in->sum.runs));
   for (uint32_t i = 0; i < s->n_runs; i++) {
      const DcfgMergedRun* r = &s->runs[i];
      in->sum.runs[in->sum.n_runs++] = (MergedRun){
         .path = in->path, .id = r->id, .instrs = r->instr_count,
         .hash = r->hash, .n_threads = r->n_threads, .first_thread = thread,
         .first_part = r->first_part, .part = r->part,
         .last_part = r->last_part, .n_before = r->n_preceding,
         .n_after = r->n_following,
         .before = copy_counts(r->preceding, r->n_preceding),
         .after = copy_counts(r->following, r->n_following) };
      thread += r->n_threads;
   }
}

/* Replace the rows of images for which MERGED has rows. */
static void replace_rows(Incoming* in)
{
   const DcfgMerged* s = in->g->p->merged;
   MergedImage*      images = in->sum.images;
   size_t*           room = zalloc(in->sum.n_images, sizeof(*room));

   for (uint32_t i = 0; i < s->n_rows; i++) {
      const DcfgMergedRow* r = &s->rows[i];
      MergedImage*         im = &images[r->image];
      const char*          file = in->g->d->files[r->file].name;
      if (room[r->image] == 0) {
         free(im->rows);
         im->rows = NULL;
         im->n_rows = 0;
      }
      GROW(im->rows, im->n_rows, room[r->image]);
      im->rows[im->n_rows++] = (MergedRow){ intern(in->sum.names, file),
                                            r->offset, r->size, r->line,
                                            r->n_instrs };
   }
   for (uint32_t i = 0; i < in->sum.n_images; i++)
      sort_rows(images[i].rows, images[i].n_rows);
   free(room);
}

bool* read_partial(Incoming* in)
{
   const DcfgMerged* s = in->g->p->merged;
   bool*             added = zalloc(in->g->p->n_edges, sizeof(*added));
   bool*             enters = zalloc(in->sum.n_ids, sizeof(*enters));

   read_runs(in);
   for (uint32_t i = 0; i < s->n_entries; i++)
      if (in->ids[s->entries[i]] != NO_ID)
         enters[in->ids[s->entries[i]]] = true;
   for (uint32_t i = 0; i < s->n_homes; i++) {
      const DcfgMergedHome* home = &s->homes[i];
      MergedImage*          im = &in->sum.images[i];
      im->home = home->run;
      im->number = home->number;
      im->turn = home->turn;
      im->load = home->load_addr;
      im->overlapping = false;
      for (uint32_t k = 0; k < im->n_blocks; k++)
         im->blocks[k].enters = enters[im->blocks[k].id];
   }
   for (uint32_t i = 0; i < s->n_overlapping; i++)
      in->sum.images[s->overlapping[i]].overlapping = true;
   for (uint32_t i = 0; i < s->n_added; i++)
      added[s->added[i]] = true;
   replace_rows(in);
   free(enters);
   return added;
}

/*--- Written                                              ---*/

#define INDENT "          "
#define ROW    ",\n" INDENT "  [ "

static void put(Put* out, const char* format, ...)
            __attribute__((format(printf, 2, 3)));

/* Put a text of less than 256 characters. */
static void put(Put* out, const char* format, ...)
{
   char    text[256];
   va_list args;

   va_start(args, format);
   vsnprintf(text, sizeof(text), format, args);
   va_end(args);
   DCFG_(put_text)(out, text);
}

/* Put N counts, COUNTS or IDS, with START before them. */
static void put_list(Put* out, const char* start, const uint64_t* counts,
                     const uint32_t* ids, uint32_t n)
{
   DCFG_(put_text)(out, start);
   for (uint32_t i = 0; i < n; i++)
      put(out, "%s%" PRIu64, i == 0 ? " " : ", ", counts != NULL ? counts[i]
                                                                 : ids[i]);
   DCFG_(put_text)(out, " ]");
}

static void put_runs(Put* out, const Merged* m)
{
   put(out, INDENT "\"RUNS\" : [ [ \"PROCESS_ID\", \"INSTR_COUNT\", "
       "\"HASH\", \"NUM_THREADS\", \"FIRST_PART_NUM\", \"PART_NUM\", "
       "\"LAST_PART_NUM\", ");
   put(out, "\"PRECEDING_INSTR_COUNT_PER_THREAD\", "
       "\"FOLLOWING_INSTR_COUNT_PER_THREAD\" ]");
   for (uint32_t i = 0; i < m->n_runs; i++) {
      const MergedRun* r = &m->runs[i];
      put(out, ROW "%" PRIu64 ", %" PRIu64 ", \"0x%" PRIx64 "\", %" PRIu32
          ", %" PRIu32 ", %" PRIu32 ", %" PRIu32, r->id, r->instrs, r->hash,
          r->n_threads, r->first_part, r->part, r->last_part);
      put_list(out, ", [", r->before, NULL, r->n_before);
      put_list(out, ", [", r->after, NULL, r->n_after);
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ],\n");
}

static void put_homes(Put* out, const PartialTables* t)
{
   put(out, INDENT "\"HOMES\" : [ [ \"IMAGE_ID\", \"RUN_NUM\", "
       "\"IMAGE_NUM\", \"LOAD_ADDR\", \"TURN\" ]");
   for (uint32_t i = 0; i < t->m->n_images; i++) {
      const MergedImage* im = &t->m->images[t->order[i]];
      put(out, ROW "%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", \"0x%" PRIx64
          "\", %" PRIu32 " ]", i + 1, im->home, im->number, im->load,
          im->turn);
   }
   DCFG_(put_text)(out, " ],\n");
}

/* Put the blocks where a routine of some run begins, in images without symbols;
   symbols say it in others.  Put the images whose rows overlap. */
static void put_entries(Put* out, const PartialTables* t)
{
   uint32_t* ids = NULL;
   uint32_t  n = 0, room = 0, node = MERGED_BLOCK;

   for (uint32_t i = 0; i < t->m->n_images; i++) {
      const MergedImage* im = &t->m->images[t->order[i]];
      for (uint32_t k = 0; k < im->n_blocks; k++, node++)
         if (im->n_symbols == 0 && im->blocks[k].enters) {
            GROW(ids, n, room);
            ids[n++] = node;
         }
   }
   put_list(out, INDENT "\"ENTRY_NODE_IDS\" : [", NULL, ids, n);
   free(ids);
}

static void put_rows(Put* out, const PartialTables* t)
{
   uint32_t* ids = zalloc(t->m->n_images, sizeof(*ids));
   uint32_t  n = 0;

   put(out, INDENT "\"ROWS\" : [ [ \"IMAGE_ID\", \"FILE_NAME_ID\", "
       "\"LINE_NUM\", \"ADDR_OFFSET\", \"SIZE\", \"NUM_INSTRS\" ]");
   for (uint32_t i = 0; i < t->m->n_images; i++) {
      const MergedImage* im = &t->m->images[t->order[i]];
      for (uint32_t k = 0; t->rows_differ[i] && k < im->n_rows; k++) {
         const MergedRow* r = &im->rows[k];
         put(out, ROW "%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", \"0x%" PRIx64
             "\", %" PRIu64 ", %" PRIu32 " ]", i + 1,
             t->file_id(t->files, r->file), r->line, r->offset, r->size,
             r->n_instrs);
      }
      if (im->overlapping)
         ids[n++] = i + 1;
   }
   put_list(out, " ],\n" INDENT "\"OVERLAPPING_IMAGE_IDS\" : [", NULL, ids, n);
   free(ids);
}

void put_merged(Put* out, const void* arg)
{
   const PartialTables* t = arg;
   const LeftOut*       left = t->left_out;

   put(out, ",\n        \"MERGED\" : { \"THREADS\" : \"%s\", \"BUILDS\" : "
       "\"%s\", \"NUM_FILES\" : %" PRIu64 ",\n", t->m->keep ? "keep" : "add",
       t->m->apart ? "apart" : "one", left->n_files);
   put_runs(out, t->m);
   put_homes(out, t);
   put_entries(out, t);
   put_list(out, ",\n" INDENT "\"ADDED_EDGE_IDS\" : [", NULL, t->added,
            t->n_added);
   DCFG_(put_text)(out, ",\n");
   put_rows(out, t);
   put(out, ",\n" INDENT "\"LEFT_OUT\" : [ [ \"FILE_NAME\", \"REASON\" ]");
   for (uint32_t i = 0; i < left->n; i++) {
      DCFG_(put_text)(out, ROW);
      DCFG_(put_string)(out, left->all[i].file);
      DCFG_(put_text)(out, ", ");
      DCFG_(put_string)(out, left->all[i].reason);
      DCFG_(put_text)(out, " ]");
   }
   DCFG_(put_text)(out, " ] }");
}
