/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg regions: prints SimPoint's choice as options of the tool. */

/* Owns: the subcommand regions: the options for each chosen slice, the
   comparison of the slices with the whole run.  Handed: a command line. */

#include "cmd/simpoint/choice.h"
#include "cmd/simpoint/region_files.h"
#include "cmd/commands.h"
#include "cmd/base/names.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/base/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*--- Options of the tool                                  ---*/

/* Return whether a name has no character with a meaning in globs. */
static bool is_plain(const char* name)
{
   return name[strcspn(name, "*?")] == 0;
}

/* Return "/N" if the instruction of marker M was executed N times in the whole
   run; "" if the choice has no labels, or the file has no row for the block. */
static const char* total_of(const Choice* c, const Marker* m)
{
   const BbBlock* block = block_at(c->bb, m->pc);

   return c->labelled && block != NULL && block->executions >= m->count
          ? text_format("/%" PRIu64, block->executions) : "";
}

/* Return the begin of SLICE as a value of --start. */
static const char* place_of(const Choice* c, size_t slice)
{
   const Marker* m = need_marker(c->bb, slice);
   const char*   total = total_of(c, m);

   if (m->image == NULL || !is_plain(m->image))
      return text_format("0x%" PRIx64 ":%" PRIu64 "%s", m->pc, m->count, total);
   return text_format("%s+0x%" PRIx64 ":%" PRIu64 "%s", text_base(m->image),
                      m->offset, m->count, total);
}

static void print_region(const Choice* c, const Chosen* x)
{
   const Slice* s = &c->bb->slices[x->slice];

   printf("# cluster %" PRIu64 ", slice %zu, weight %.6f, %s instructions",
          x->cluster, x->slice, x->weight, text_count(s->instrs));
   if (c->labelled || c->bb->has_unfiltered)
      printf(", unfiltered %s", text_count(s->unfiltered));
   if (c->labelled)
      printf(", multiplier %.15g", multiplier(c, x));
   printf("\n--start=%s", place_of(c, x->slice));
   if (x->slice + 1 < c->bb->n_slices)
      printf(" --stop=%s", place_of(c, x->slice + 1));
   putchar('\n');
   text_forget();
}

/* --- Comparison with the whole run                        --- */

/* Share: a routine's shares of instructions, from 0 to 1: in the whole run, and
   in the weighted regions. */
typedef
   struct {
      uint32_t routine;
      double   whole, regions;
   }
   Share;

COMPARE(by_share, Share, DOWN(whole) ?: UP(routine))

/* Add the instructions of SLICE, times WEIGHT, to the sums of its blocks'
   routines. */
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

/* Print the shares of all routines with at least the share LEAST of the run. */
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
   uint64_t    least = 5, warmup = 0;
   const char *labels = NULL, *csv = NULL, *gem5 = NULL, *base = NULL;
   Program     g = { 0 };
   const Opt   opts[] = {
      { "labels", OPT_TEXT, &labels, "FILE",
        "what simpoint -saveLabels wrote: how much of the run each region "
        "stands for" },
      { "csv", OPT_TEXT, &csv, "OUT",
        "write regions for LoopPoint, Sniper and gem5; needs --labels" },
      { "gem5", OPT_TEXT, &gem5, "OUT",
        "write regions for gem5, as JSON; needs --labels" },
      { "base", OPT_TEXT, &base, "ADDRESS",
        "where gem5 loads the program, if that is position-independent" },
      { "warmup", OPT_COUNT, &warmup, "K",
        "in these files: warm up in the K slices before a region [0]" },
      { "share", OPT_COUNT, &least, "PERCENT",
        "routines with at least this share [5]" },
      OPT_MANGLED(&g.mangled)
   };
   const char* files[4];
   int         n;
   Choice      c;

   n = parse_args(&regions_command, OPTS(opts), argc, argv, files, 3, 4);
   if ((csv != NULL || gem5 != NULL) && labels == NULL)
      die("--csv and --gem5 need --labels: what simpoint -saveLabels wrote");
   if (base != NULL && gem5 == NULL)
      die("--base is for --gem5");
   if (warmup > 0 && csv == NULL && gem5 == NULL)
      die("--warmup is for --csv and --gem5");
   c = choice_read(files[0], files[1], files[2], labels);
   if (c.bb->thread != NOT_GIVEN && c.bb->thread > 0)
      complain("%s counts executions of thread %" PRIu64 " alone, but --start "
               "those of all threads", files[0], c.bb->thread);
   if (csv != NULL)
      write_csv(&c, csv, warmup);
   if (gem5 != NULL)
      write_gem5(&c, gem5, warmup, base);
   name_results();
   for (size_t i = 0; i < c.n; i++)
      print_region(&c, &c.chosen[i]);
   if (n == 4) {
      Dcfg* d = load_dcfg(files[3]);
      g.d = d;
      g.p = main_process(d);
      compare(&c, &g, (double)least / 100);
      dcfg_free(d);
   }
   choice_free(&c);
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
