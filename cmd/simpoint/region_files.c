/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Writes regions in the files that simulators read. */

/* Owns: LoopPoint's CSV, and the JSON of gem5's LooppointJsonLoader.
   Handed: a choice with labels.

   A region's number is its cluster's plus 1.  Both files have the regions in
   the order of these numbers. */

#include "cmd/simpoint/region_files.h"

#include "cmd/base/format.h"
#include "cmd/base/names.h"
#include "cmd/base/result.h"
#include "cmd/machine/link_base.h"
#include "cmd/simpoint/bb_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Stretch: slices of a run, from one marker to another. */
typedef
   struct {
      const Marker *start, *end;
      size_t        first, n;   // slices
   }
   Stretch;

/* Return the stretch of N slices from FIRST on.  Die if a marker is missing. */
static Stretch stretch(const BbFile* b, size_t first, size_t n)
{
   return (Stretch){ need_marker(b, first), need_marker(b, first + n), first,
                     n };
}

static Stretch region_of(const Choice* c, const Chosen* x)
{
   return stretch(c->bb, x->slice, 1);
}

/* Return the stretch before region X: MAX slices, or fewer at the run's
   begin. */
static Stretch warmup_of(const Choice* c, const Chosen* x, uint64_t max)
{
   size_t n = x->slice < max ? x->slice : (size_t)max;

   return stretch(c->bb, x->slice - n, n);
}

/* Return how often the instruction at the end of S is executed after the start,
   up to the end itself. */
static uint64_t relative_count(const BbFile* b, const Stretch* s)
{
   const BbBlock* block = block_at(b, s->end->pc);

   if (block == NULL)
      die("no row `Block id:' has the block at 0x%" PRIx64 ": what dcfg bbv "
          "writes has it", s->end->pc);
   return executions_in(b, block, s->first, s->n)
          + (s->start->pc != s->end->pc);
}

/* Return the number of filtered instructions in S. */
static uint64_t length_of(const BbFile* b, const Stretch* s)
{
   uint64_t instrs = 0;

   for (size_t i = s->first; i < s->first + s->n; i++)
      instrs += b->slices[i].instrs;
   return instrs;
}

COMPARE(by_cluster, Chosen, UP(cluster))

/* Return the chosen slices in the order of clusters.  The caller frees them. */
static Chosen* in_clusters(const Choice* c)
{
   Chosen* sorted = zalloc(c->n, sizeof(*sorted));

   memcpy(sorted, c->chosen, c->n * sizeof(*sorted));
   qsort(sorted, c->n, sizeof(*sorted), by_cluster);
   return sorted;
}

/*--- CSV                                                  ---*/

static void put_place(FILE* f, const Marker* m)
{
   const char* name;

   if (m->image == NULL)
      die("0x%" PRIx64 " is a marker without an image, and --csv needs one: the "
          "image has no file, or its path has a blank", m->pc);
   name = text_base(m->image);
   need_one_field(name);
   fprintf(f, ",0x%" PRIx64 ",%s,0x%" PRIx64 ",%" PRIu64, m->pc, name,
           m->offset, m->count);
}

/* Write the fields of S: both ends, the relative count, the length. */
static void put_stretch(FILE* f, const BbFile* b, const Stretch* s)
{
   put_place(f, s->start);
   put_place(f, s->end);
   fprintf(f, ",%" PRIu64 ",%" PRIu64, relative_count(b, s), length_of(b, s));
   text_forget();
}

void write_csv(const Choice* c, const char* path, uint64_t warmup)
{
   FILE*    f = open_result(path);
   Chosen*  sorted = in_clusters(c);
   uint64_t last = sorted[c->n - 1].cluster;

   fputs("# comment,thread-id,region-id,start-pc,start-image-name,"
         "start-image-offset,start-pc-count,end-pc,end-image-name,"
         "end-image-offset,end-pc-count,end-pc-relative-count,region-length,"
         "region-weight,region-multiplier,region-type\n", f);
   for (size_t i = 0; i < c->n; i++) {
      const Chosen* x = &sorted[i];
      Stretch       s = region_of(c, x);
      fprintf(f, "cluster %" PRIu64 " from slice %zu,global,%" PRIu64,
              x->cluster, x->slice, x->cluster + 1);
      put_stretch(f, c->bb, &s);
      fprintf(f, ",%.5f,%.15g,simulation\n", x->weight, multiplier(c, x));
   }
   for (size_t i = 0; i < c->n; i++) {
      const Chosen* x = &sorted[i];
      Stretch       s = warmup_of(c, x, warmup);
      if (s.n == 0)
         continue;
      fprintf(f, "Warmup for regionid %" PRIu64 ",global,%" PRIu64,
              x->cluster + 1, x->cluster + last + 2);
      put_stretch(f, c->bb, &s);
      fprintf(f, ",0.00000,0.000,warmup:%" PRIu64 "\n", x->cluster + 1);
   }
   free(sorted);
   finish_result(f);
}

/*--- gem5                                                 ---*/

/* Loaded: the address at which gem5 loads the program. */
typedef
   struct {
      const char* program;      // path
      bool        moved;        // other addresses than the recording's
      uint64_t    base;         // if .moved
   }
   Loaded;

/* Return where gem5 loads the program of B: at the address that the text BASE
   has, or NULL.  Die if that is no address, or one is needed. */
static Loaded find_loaded(const BbFile* b, const char* base)
{
   Loaded   l = { b->program, false, 0 };
   char*    end;
   FileType type;

   if (b->program == NULL)
      die("no line `C: ... Command: PROGRAM' says which image is the program");
   if (base != NULL) {
      errno = 0;
      l.moved = true;
      l.base = strtoull(base, &end, 0);
      if (base[0] < '0' || base[0] > '9' || *end != 0 || errno != 0)
         die("--base needs an address, not `%s'", base);
      return l;
   }
   type = file_type(b->program);
   if (type == FILE_MOVES)
      die("%s is position-independent: --base=ADDRESS says where gem5 loads it; "
          "its system calls emulated (SE), at 0", b->program);
   if (type == FILE_UNKNOWN)
      die("%s cannot be read, so it may be position-independent: "
          "--base=ADDRESS says where gem5 loads it", b->program);
   return l;
}

/* Return a marker of S that is not in the program; NULL: both are. */
static const Marker* outside(const Loaded* l, const Stretch* s)
{
   if (s->start->image == NULL || strcmp(s->start->image, l->program) != 0)
      return s->start;
   if (s->end->image == NULL || strcmp(s->end->image, l->program) != 0)
      return s->end;
   return NULL;
}

static uint64_t gem5_pc(const Loaded* l, const Marker* m)
{
   return l->moved ? l->base + m->offset : m->pc;
}

static void put_point(FILE* f, const char* name, const Loaded* l,
                      const Marker* m, const char* count)
{
   fprintf(f, "\"%s\":{\"pc\":%" PRIu64 ",\"%s\":%" PRIu64, name,
           gem5_pc(l, m), count, m->count);
}

/* Write region X.  If one of its markers is not in the program, complain
   instead and return false. */
static bool put_region(FILE* f, const Choice* c, const Chosen* x,
                       uint64_t warmup, const Loaded* l, bool first)
{
   Stretch       s = region_of(c, x), w = warmup_of(c, x, warmup);
   const Marker* m = outside(l, &s);

   if (m == NULL && w.n > 0)
      m = outside(l, &w);
   if (m != NULL) {
      complain("region %" PRIu64 " is not in gem5's file: its marker 0x%" PRIx64
               " is in %s, which gem5 loads elsewhere", x->cluster + 1, m->pc,
               m->image != NULL ? text_base(m->image) : "no image");
      return false;
   }
   fprintf(f, "%s\"%" PRIu64 "\":{\"simulation\":{", first ? "" : ",\n",
           x->cluster + 1);
   put_point(f, "start", l, s.start, "global");
   fputs("},", f);
   put_point(f, "end", l, s.end, "global");
   fprintf(f, ",\"relative\":%" PRIu64 "}},\"multiplier\":%.15g",
           relative_count(c->bb, &s), multiplier(c, x));
   if (w.n > 0) {
      fputs(",\"warmup\":{", f);
      put_point(f, "start", l, w.start, "count");
      fputs("},", f);
      put_point(f, "end", l, w.end, "count");
      fputs("}}", f);
   }
   putc('}', f);
   return true;
}

void write_gem5(const Choice* c, const char* path, uint64_t warmup,
                const char* base)
{
   Loaded  l = find_loaded(c->bb, base);
   FILE*   f = open_result(path);
   Chosen* sorted = in_clusters(c);
   size_t  n = 0;

   putc('{', f);
   for (size_t i = 0; i < c->n; i++) {
      n += put_region(f, c, &sorted[i], warmup, &l, n == 0);
      text_forget();
   }
   fputs("}\n", f);
   if (n == 0)
      die("no region has both markers in %s: dcfg bbv --looppoint puts them "
          "there", l.program);
   free(sorted);
   finish_result(f);
}
