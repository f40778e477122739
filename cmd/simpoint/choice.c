/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   SimPoint's choice of slices. */

/* Owns: the chosen slices, and the instructions of the run that each of them
   stands for.  Handed: paths of vectors and of SimPoint's files. */

#include "cmd/simpoint/choice.h"

#include "cmd/base/format.h"
#include "cmd/base/textfile.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

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

Choice choice_read(const char* vectors, const char* simpoints,
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

void choice_free(Choice* c)
{
   bb_free(c->bb);
   free(c->chosen);
}

double multiplier(const Choice* c, const Chosen* x)
{
   uint64_t n = c->bb->slices[x->slice].instrs;

   if (n == 0)
      die("slice %zu has no instruction, and can stand for none", x->slice);
   return (double)x->instrs / (double)n;
}
