/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   dcfg regions: which slices did SimPoint choose, and how does a simulator run them? */

/* Owns: the subcommand regions: the chosen slices and their weights, the options
   of the tool for each, the files for simulators, and the comparison of the slices
   with the whole run.  Handed: a command line.

   SimPoint sorts slices into clusters and chooses a slice for each.  The weight of
   a slice is its cluster's share of the run.  With labels, the cluster of each
   slice is known, and so is the multiplier: how many instructions of the run each
   instruction of the chosen slice stands for.

   Simulators read LoopPoint's CSV, or the JSON of gem5's LooppointJsonLoader.  A
   region's number is its cluster's plus 1.  Both files have the regions in the
   order of these numbers. */

#include "cmd/base/names.h"
#include "cmd/base/operands.h"
#include "cmd/base/result.h"
#include "cmd/commands.h"
#include "cmd/program/elf_file.h"
#include "cmd/simpoint/simpoint.h"

#include <errno.h>
#include <math.h>

/*--- The choice                                           ---*/

/* Chosen: a slice that SimPoint chose to stand for a cluster of slices. */
typedef
   struct {
      uint64_t cluster;
      size_t   slice;
      double   weight;          // the cluster's share of the run; 1 in all
      bool     weighted;        // .weight has been read
      uint64_t instrs;          // the whole cluster's; 0 without labels
   }
   Chosen;

/* Choice: all chosen slices, in the order of the run, and the vectors. */
typedef
   struct {
      BbFile*  bb;
      Chosen*  chosen;
      size_t   n, room;
      bool     labelled;        // the cluster of each slice is known
   }
   Choice;

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
      c->chosen[c->n++] = (Chosen){ cluster, (size_t)slice, 0, false,
                                    0 };
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

/* Add the instructions of SLICE to those of CLUSTER; to *REST if no slice was
   chosen for that cluster. */
static void add_to_cluster(Choice* c, size_t slice, uint64_t cluster,
                           uint64_t* rest)
{
   Chosen*  x = find_cluster(c, cluster);
   uint64_t n = c->bb->slices[slice].instrs;

   if (x != NULL)
      x->instrs += n;
   else
      *rest += n;
}

static void read_labels(Choice* c, const char* path)
{
   FILE*     f = open_text(path, KIND_CHOICE);
   uint64_t* clusters = zalloc(c->bb->n_slices, sizeof(*clusters));
   uint64_t  cluster, line = 0, rest = 0;

   while (label_read(f, path, &cluster, &line)) {
      if (line > c->bb->n_slices)
         die("%s: line %" PRIu64 ": there are %zu slices only", path, line,
             c->bb->n_slices);
      clusters[line - 1] = cluster;
      add_to_cluster(c, line - 1, cluster, &rest);
   }
   fclose(f);
   if (line < c->bb->n_slices)
      die("%s: %" PRIu64 " labels for %zu slices: is it of the same vectors?",
          path, line, c->bb->n_slices);
   for (size_t i = 0; i < c->n; i++)
      if (clusters[c->chosen[i].slice] != c->chosen[i].cluster)
         die("%s: slice %zu is of cluster %" PRIu64 ", but was chosen for "
             "cluster %" PRIu64 ": is it of the same choice?", path,
             c->chosen[i].slice, clusters[c->chosen[i].slice],
             c->chosen[i].cluster);
   if (rest > 0)
      complain("no region stands for %s instructions of clusters without a "
               "slice: -coveragePct of SimPoint below 1 leaves them out",
               text_count(rest));
   free(clusters);
   c->labelled = true;
}

COMPARE(by_slice, Chosen, UP(slice) ?: UP(cluster))

/* Read a .bb file, VECTORS, and SimPoint's files about it, for choice_free().
   LABELS may be NULL.  Die if a file is malformed, or they do not belong
   together. */
static Choice choice_read(const char* vectors, const char* simpoints,
                          const char* weights, const char* labels)
{
   Choice c = { 0 };

   c.bb = bb_read(vectors);
   read_slices(&c, simpoints);
   read_weights(&c, weights);
   if (labels != NULL)
      read_labels(&c, labels);
   qsort(c.chosen, c.n, sizeof(*c.chosen), by_slice);
   return c;
}

static void choice_free(Choice* c)
{
   bb_free(c->bb);
   free(c->chosen);
}

/* Return the multiplier of X, of a choice with labels: how many instructions of
   the run each instruction of the slice stands for. */
static double multiplier(const Choice* c, const Chosen* x)
{
   uint64_t n = c->bb->slices[x->slice].instrs;

   if (n == 0)
      die("slice %zu has no instruction, and can stand for none", x->slice);
   return (double)x->instrs / (double)n;
}

/*--- Regions                                              ---*/

/* SliceRange: slices of a run, from one marker to another. */
typedef
   struct {
      const Marker *start, *end;
      size_t        first, n;   // slices
   }
   SliceRange;

/* Return the range of N slices from FIRST on.  Die if a marker is missing. */
static SliceRange range_of(const BbFile* file, size_t first, size_t n)
{
   return (SliceRange){ need_marker(file, first), need_marker(file, first + n),
                        first, n };
}

static SliceRange region_of(const Choice* c, const Chosen* x)
{
   return range_of(c->bb, x->slice, 1);
}

/* Return the range before region X: MAX slices, or fewer at the run's begin. */
static SliceRange warmup_of(const Choice* c, const Chosen* x, uint64_t max)
{
   size_t n = x->slice < max ? x->slice : (size_t)max;

   return range_of(c->bb, x->slice - n, n);
}

/* Return how often the instruction at the end of S is executed after the start,
   up to the end itself. */
static uint64_t relative_count(const BbFile* file, const SliceRange* s)
{
   const BbBlock* block = block_at(file, s->end->pc);

   if (block == NULL)
      die("no row `Block id:' has the block at 0x%" PRIx64 ": what dcfg bbv "
          "writes has it", s->end->pc);
   return executions_in(file, block, s->first, s->n)
          + (s->start->pc != s->end->pc);
}

/* Return the number of filtered instructions in S. */
static uint64_t length_of(const BbFile* file, const SliceRange* s)
{
   uint64_t instrs = 0;

   for (size_t i = s->first; i < s->first + s->n; i++)
      instrs += file->slices[i].instrs;
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
static void put_range(FILE* f, const BbFile* file, const SliceRange* s)
{
   put_place(f, s->start);
   put_place(f, s->end);
   fprintf(f, ",%" PRIu64 ",%" PRIu64, relative_count(file, s),
           length_of(file, s));
   text_forget();
}

/* Write the regions of a choice with labels to PATH, as LoopPoint's CSV.  In
   the WARMUP slices before a region, or as many as there are, the simulator
   warms caches up.  Die after an error, also in the function below. */
static void write_csv(const Choice* c, const char* path, uint64_t warmup)
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
      SliceRange    s = region_of(c, x);
      fprintf(f, "cluster %" PRIu64 " from slice %zu,global,%" PRIu64,
              x->cluster, x->slice, x->cluster + 1);
      put_range(f, c->bb, &s);
      fprintf(f, ",%.5f,%.15g,simulation\n", x->weight, multiplier(c, x));
   }
   for (size_t i = 0; i < c->n; i++) {
      const Chosen* x = &sorted[i];
      SliceRange    s = warmup_of(c, x, warmup);
      if (s.n == 0)
         continue;
      fprintf(f, "Warmup for regionid %" PRIu64 ",global,%" PRIu64,
              x->cluster + 1, x->cluster + last + 2);
      put_range(f, c->bb, &s);
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

/* Return where gem5 loads the program of FILE: at the address that the text
   BASE has, or NULL.  Die if that is no address, or one is needed. */
static Loaded find_loaded(const BbFile* file, const char* base)
{
   Loaded   l = { file->program, false, 0 };
   FileType type;

   if (file->program == NULL)
      die("no line `C: ... Command: PROGRAM' says which image is the program");
   if (base != NULL) {
      l.moved = true;
      if (!is_number(base, 0, &l.base))
         die("--base needs an address, not `%s'", base);
      return l;
   }
   type = file_type(file->program);
   if (type == FILE_MOVES)
      die("%s is position-independent: --base=ADDRESS says where gem5 loads it; "
          "its system calls emulated (SE), at 0", file->program);
   if (type == FILE_UNKNOWN)
      die("%s cannot be read, so it may be position-independent: "
          "--base=ADDRESS says where gem5 loads it", file->program);
   return l;
}

/* Return a marker of S that is not in the program; NULL: both are. */
static const Marker* outside(const Loaded* l, const SliceRange* s)
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
   SliceRange    s = region_of(c, x), w = warmup_of(c, x, warmup);
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

/* Write them likewise as gem5's JSON.  BASE is the address at which gem5 loads
   the program, a number as text; NULL: the address in the program's file. */
static void write_gem5(const Choice* c, const char* path, uint64_t warmup,
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

/* Return the number of all instructions in N slices from FIRST on, filtered or
   not. */
static uint64_t whole_length(const BbFile* file, size_t first, size_t n)
{
   uint64_t instrs = 0;

   for (size_t i = first; i < first + n; i++)
      instrs += file->has_unfiltered ? file->slices[i].unfiltered
                                     : file->slices[i].instrs;
   return instrs;
}

/* Print region X, and WARMUP slices before it, or as many as there are. */
static void print_region(const Choice* c, const Chosen* x, uint64_t warmup)
{
   const Slice* s = &c->bb->slices[x->slice];
   size_t       n = x->slice < warmup ? x->slice : (size_t)warmup;

   printf("# cluster %" PRIu64 ", slice %zu, weight %.6f, %s instructions",
          x->cluster, x->slice, x->weight, text_count(s->instrs));
   if (c->labelled || c->bb->has_unfiltered)
      printf(", unfiltered %s", text_count(s->unfiltered));
   if (c->labelled)
      printf(", multiplier %.15g", multiplier(c, x));
   if (n > 0)
      printf("\n# with %s instructions before it for warm-up: dcfg export "
             "--champsim --warmup=%" PRIu64,
             text_count(whole_length(c->bb, x->slice - n, n)),
             whole_length(c->bb, x->slice - n, n));
   printf("\n--start=%s", place_of(c, x->slice - n));
   if (x->slice + 1 < c->bb->n_slices)
      printf(" --stop=%s", place_of(c, x->slice + 1));
   putchar('\n');
   text_forget();
}

/*--- Comparison with the whole run                        ---*/

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
static void add_slice(const Choice* c, const DcfgProcess* process, size_t slice,
                      double weight, double* sums)
{
   const Slice* s = &c->bb->slices[slice];

   for (size_t i = 0; i < s->n; i++) {
      const BlockShare* b = &c->bb->shares[s->first + i];
      uint32_t          node = dcfg_node_by_id(process, b->block);
      if (node == DCFG_NONE)
         die("block %" PRIu32 " is not in the DCFG: do the files belong "
             "together?", b->block);
      if (process->nodes[node].routine != DCFG_NONE)
         sums[process->nodes[node].routine] += weight * (double)b->instrs;
   }
}

/* Print the shares of all routines with at least the share LEAST of the run. */
static void compare(const Choice* c, const Program* program, double least)
{
   const DcfgProcess* p = program->p;
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
   SORT(rows, n, by_share);
   puts("#\n# share of the run, of the regions, difference, routine");
   for (size_t i = 0; i < n; i++) {
      double off = rows[i].regions - rows[i].whole;
      worst = fabs(off) > worst ? fabs(off) : worst;
      printf("# %5.1f%% %5.1f%% %+6.1f  %s\n", 100 * rows[i].whole,
             100 * rows[i].regions, 100 * off,
             text_brief(routine_name(program, rows[i].routine)));
      text_forget();
   }
   printf("# no difference is above %.1f\n", ceil(1000 * worst) / 10);
   FREE_ALL(whole, regions, rows);
}

/*--- The whole command                                    ---*/

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
        "warm up in the K slices before a region: in these files, or without "
        "them in the printed options, for ChampSim [0]" },
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
      print_region(&c, &c.chosen[i], csv == NULL && gem5 == NULL ? warmup : 0);
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
