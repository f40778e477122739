/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg regions. */

/* Owns: the subcommand regions: turning SimPoint's choice into options of the
   tool, and comparing it with the whole run.  Handed: a command line.  Taken
   by: commands.c. */

#include "cmd/simpoint/bb_file.h"
#include "cmd/commands.h"
#include "cmd/base/names.h"
#include "cmd/base/operands.h"
#include "cmd/base/table.h"
#include "cmd/base/textfile.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Chosen: a slice that stands for others. */
typedef
   struct {
      uint64_t cluster;
      size_t   slice;
      double   weight;
      bool     weighted;
   }
   Chosen;

typedef
   struct {
      BbFile*  bb;
      Chosen*  chosen;
      size_t   n, room;
   }
   Choice;

/* --- SimPoint's files                                     --- */

static Chosen* find_cluster(Choice* c, uint64_t cluster)
{
   for (size_t i = 0; i < c->n; i++)
      if (c->chosen[i].cluster == cluster)
         return &c->chosen[i];
   return NULL;
}

static void read_slices(Choice* c, const char* path)
{
   FILE*    f = open_text(path, KIND_CHOICE);
   double   slice;
   uint64_t cluster, line = 0;

   while (pair_read(f, path, &slice, &cluster, &line)) {
      if (slice != floor(slice) || slice >= (double)c->bb->n_slices)
         die("%s: line %" PRIu64 ": there are the slices 0 to %zu", path,
             line, c->bb->n_slices - 1);
      if (find_cluster(c, cluster) != NULL)
         die("%s: line %" PRIu64 ": cluster %" PRIu64 " a second time", path,
             line, cluster);
      GROW(c->chosen, c->n, c->room);
      c->chosen[c->n++] = (Chosen){ cluster, (size_t)slice, 0, false };
   }
   fclose(f);
   if (c->n == 0)
      die("%s: no slice is chosen", path);
}

static void read_weights(Choice* c, const char* path)
{
   FILE*    f = open_text(path, KIND_CHOICE);
   double   weight, sum = 0;
   uint64_t cluster, line = 0;

   while (pair_read(f, path, &weight, &cluster, &line)) {
      Chosen* x = find_cluster(c, cluster);
      if (x == NULL || x->weighted)
         die("%s: line %" PRIu64 ": cluster %" PRIu64 " %s", path, line,
             cluster, x == NULL ? "has no slice" : "a second time");
      x->weight = weight;
      x->weighted = true;
      sum += weight;
   }
   fclose(f);
   for (size_t i = 0; i < c->n; i++)
      if (!c->chosen[i].weighted)
         die("%s: cluster %" PRIu64 " has no weight", path,
             c->chosen[i].cluster);
   if (!(sum > 0))
      die("%s: the weights are all 0", path);
   for (size_t i = 0; i < c->n; i++)
      c->chosen[i].weight /= sum;
}

COMPARE(by_slice, Chosen, UP(slice) ?: UP(cluster))

/*--- Options of the tool                                  ---*/

/* Return whether a name has no character with a meaning in globs. */
static bool is_plain(const char* name)
{
   return name[strcspn(name, "*?")] == 0;
}

static const char* place_of(const Marker* m)
{
   if (m->image == NULL || !is_plain(m->image))
      return text_format("0x%" PRIx64 ":%" PRIu64, m->pc, m->count);
   return text_format("%s+0x%" PRIx64 ":%" PRIu64, text_base(m->image),
                      m->offset, m->count);
}

static const Marker* need_marker(const Choice* c, size_t slice)
{
   const Marker* m = &c->bb->slices[slice].marker;

   if (m->count == 0)
      die("slice %zu has no line S: or M: that says where it begins: what dcfg "
          "bbv writes has them", slice);
   return m;
}

static void print_region(const Choice* c, const Chosen* x)
{
   const Slice* s = &c->bb->slices[x->slice];

   printf("# cluster %" PRIu64 ", slice %zu, weight %.6f, %s "
          "instructions\n--start=%s", x->cluster, x->slice, x->weight,
          text_count(s->instrs), place_of(need_marker(c, x->slice)));
   if (x->slice + 1 < c->bb->n_slices)
      printf(" --stop=%s", place_of(need_marker(c, x->slice + 1)));
   putchar('\n');
   text_forget();
}

/* --- Comparison with the whole run                        --- */

typedef
   struct {
      uint32_t routine;
      double   whole, regions;  // shares of instructions
   }
   Share;

COMPARE(by_share, Share, DOWN(whole) ?: UP(routine))

/* Add a slice to the sums of its blocks' routines, with WEIGHT. */
static void add_slice(const Choice* c, const DcfgProcess* p, size_t slice,
                      double weight, double* sums)
{
   const Slice* s = &c->bb->slices[slice];

   for (size_t i = 0; i < s->n; i++) {
      const BlockShare* b = &c->bb->shares[s->first + i];
      uint32_t          node = dcfg_node_by_id(p, b->block);
      if (node == DCFG_NONE)
         die("block %" PRIu32 " is not in the DCFG: do the files belong "
             "together?", b->block);
      if (p->nodes[node].routine != DCFG_NONE)
         sums[p->nodes[node].routine] += weight * (double)b->instrs;
   }
}

static void compare(const Choice* c, const Program* g, double least)
{
   const DcfgProcess* p = g->p;
   double*            whole = zalloc(p->n_routines, sizeof(*whole));
   double*            regions = zalloc(p->n_routines, sizeof(*regions));
   Share*             rows = zalloc(p->n_routines, sizeof(*rows));
   double             all = 0, worst = 0;
   size_t             n = 0;

   for (size_t i = 0; i < c->bb->n_slices; i++) {
      add_slice(c, p, i, 1, whole);
      all += (double)c->bb->slices[i].instrs;
   }
   for (size_t i = 0; i < c->n; i++)
      if (c->bb->slices[c->chosen[i].slice].instrs > 0)
         add_slice(c, p, c->chosen[i].slice, c->chosen[i].weight
                   / (double)c->bb->slices[c->chosen[i].slice].instrs,
                   regions);
   for (uint32_t i = 0; i < p->n_routines && all > 0; i++)
      if (whole[i] / all >= least)
         rows[n++] = (Share){ i, whole[i] / all, regions[i] };
   if (n > 0)
      qsort(rows, n, sizeof(*rows), by_share);
   puts("#\n# share of the run, of the regions, difference, routine");
   for (size_t i = 0; i < n; i++) {
      double off = rows[i].regions - rows[i].whole;
      worst = fabs(off) > worst ? fabs(off) : worst;
      printf("# %5.1f%% %5.1f%% %+6.1f  %s\n", 100 * rows[i].whole,
             100 * rows[i].regions, 100 * off,
             text_brief(routine_name(g, rows[i].routine)));
      text_forget();
   }
   printf("# no difference is above %.1f\n", ceil(1000 * worst) / 10);
   free(whole);
   free(regions);
   free(rows);
}

/* --- The whole command                                    --- */

static int run(int argc, char** argv)
{
   uint64_t    least = 5;
   Program     g = { 0 };
   const Opt   opts[] = {
      { "share", OPT_COUNT, &least, "PERCENT",
        "routines with at least this share [5]" },
      OPT_MANGLED(&g.mangled)
   };
   const char* files[4];
   int         n;
   Choice      c = { 0 };

   n = parse_args(&regions_command, OPTS(opts), argc, argv, files, 3, 4);
   c.bb = bb_read(files[0]);
   read_slices(&c, files[1]);
   read_weights(&c, files[2]);
   qsort(c.chosen, c.n, sizeof(*c.chosen), by_slice);
   for (size_t i = 0; i < c.n; i++)
      print_region(&c, &c.chosen[i]);
   if (n == 4) {
      Dcfg* d = load_dcfg(files[3]);
      g.d = d;
      g.p = main_process(d);
      compare(&c, &g, (double)least / 100);
      dcfg_free(d);
   }
   bb_free(c.bb);
   free(c.chosen);
   return STATUS_OK;
}

const Command regions_command = {
   "regions", "BB SIMPOINTS WEIGHTS [FILE]",
   "SimPoint's choice as options of the tool",
   "Prints, for each slice that SimPoint chose from a file BB of dcfg bbv, the\n"
   "options with which valgrind --tool=dcfg collects that part of the run.\n"
   "SIMPOINTS and WEIGHTS are what simpoint -saveSimpoints and\n"
   "-saveSimpointWeights write.  With the DCFG, also how much of the run each\n"
   "routine has, in the whole and in the weighted regions.\n",
   "",
   run
};
