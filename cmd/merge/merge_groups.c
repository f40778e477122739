/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Code without a file. */

/* Owns: the images of code without a file, such as a JIT compiler's.
   Handed: runs by merge_runs.c; a sum that gets no more runs by cmd_merge.c.

   The last merge takes the runs in their order.  An image of such code is the
   same as the image in the sum with its name and turn, if the code does not
   contradict.  Else it becomes an image of its own.  So until all runs are
   there, each run keeps these images and their edges apart, in a group.  Runs
   that agree in all of these, counts included, share a group. */

#include "cmd/merge/merge_groups.h"

#include "cmd/merge/merge_hash.h"
#include "cmd/merge/merge_images.h"
#include "cmd/merge/merge_unite.h"

#include <stdlib.h>
#include <string.h>

/*--- Groups of a process                                  ---*/

/* NewGroup: a group of the process: its index in M, and its images in the
   process. */
typedef
   struct {
      uint32_t  group, n_images;
      uint32_t* images;
   }
   NewGroup;

struct NewGroups {
   NewGroup* all;
   uint32_t  n;
};

static uint32_t group_of_hash(const Merged* m, uint64_t hash)
{
   for (uint32_t i = 0; i < m->n_groups; i++)
      if (m->groups[i].hash == hash)
         return i;
   return NO_GROUP;
}

/* Add N_RUNS runs to M's group with HASH, or make one.  Return its index. */
static uint32_t add_to_group(Merged* m, uint64_t hash, const uint32_t* runs,
                             uint32_t n_runs, uint32_t first_run)
{
   uint32_t     number = group_of_hash(m, hash);
   MergedGroup* to;

   if (number == NO_GROUP) {
      GROW(m->groups, m->n_groups, m->groups_room);
      number = m->n_groups++;
      m->groups[number] = (MergedGroup){ .hash = hash };
   }
   to = &m->groups[number];
   for (uint32_t i = 0; i < n_runs; i++) {
      GROW(to->runs, to->n_runs, to->room);
      to->runs[to->n_runs++] = first_run + runs[i];
   }
   return number;
}

/* Find the group's images in M, if M has them. */
static void place_group(const Merged* m, const NewGroup* new,
                        MergedImage* images, uint32_t* place)
{
   const MergedGroup* g = &m->groups[new->group];

   for (uint32_t i = 0; i < new->n_images; i++) {
      uint32_t k = new->images[i];
      set_group(&images[k], new->group);
      if (i < g->n_images && m->images[g->images[i]].name == images[k].name)
         place[k] = g->images[i];
   }
}

NewGroups* find_groups(Merged* m, const Program* g, MergedImage* images,
                       const uint32_t* number, uint32_t first_run,
                       uint32_t* place)
{
   const DcfgMerged* partial = g->p->merged;
   NewGroups*        new = zalloc(1, sizeof(*new));
   const uint32_t    alone = 0;
   NewGroup*         all;

   all = new->all = zalloc(partial == NULL ? 1 : partial->n_groups,
                           sizeof(*all));
   for (uint32_t i = 0; partial != NULL && i < partial->n_groups; i++) {
      const DcfgMergedGroup* from = &partial->groups[i];
      NewGroup*              to = &all[new->n++];
      to->images = zalloc(from->n_images, sizeof(*to->images));
      to->n_images = from->n_images;
      memcpy(to->images, from->images, from->n_images * sizeof(*to->images));
      to->group = add_to_group(m, from->hash, from->runs, from->n_runs,
                               first_run);
   }
   if (partial == NULL) {
      all[0].images = zalloc(g->p->n_images, sizeof(*all[0].images));
      for (uint32_t i = 0; i < g->p->n_images; i++)
         if (!has_file(&images[i]))
            all[0].images[all[0].n_images++] = i;
      if (all[0].n_images > 0)
         all[0].group = add_to_group(m, group_hash(g, images, number), &alone,
                                     1, first_run);
      new->n = 1;
   }
   for (uint32_t i = 0; i < new->n; i++)
      if (all[i].n_images > 0)
         place_group(m, &all[i], images, place);
   return new;
}

void take_groups(Merged* m, NewGroups* groups, const uint32_t* place)
{
   for (uint32_t i = 0; i < groups->n; i++) {
      NewGroup*    new = &groups->all[i];
      MergedGroup* to = new->n_images > 0 ? &m->groups[new->group] : NULL;
      if (to != NULL && to->n_images == 0) {
         to->images = zalloc(new->n_images, sizeof(*to->images));
         to->n_images = new->n_images;
         for (uint32_t k = 0; k < new->n_images; k++)
            to->images[k] = place[new->images[k]];
      }
      free(new->images);
   }
   free(groups->all);
   free(groups);
}

/*--- Groups taken apart                                   ---*/

/* LooseStep: a step of one run of a group. */
typedef
   struct {
      Ends       ends;          // images by index in the group; without an
                                // image, ids of M
      MergedStep step;
   }
   LooseStep;

/* Loose: the images and steps of a group, taken out of M. */
typedef
   struct {
      MergedImage* images;
      uint32_t     n_images;
      LooseStep*   steps;
      size_t       n_steps, room;
   }
   Loose;

/* Nodes: where M's nodes are. */
typedef
   struct {
      uint32_t* image;          // by id: index; UINT32_MAX for special nodes
      uint32_t* block;          // by id: number in its image
      uint32_t* new_id;         // by id: without the groups' blocks
      uint32_t* slot;           // by image: index in its group
   }
   Nodes;

static Nodes find_nodes(const Merged* m)
{
   uint32_t n = MERGED_BLOCK, next = MERGED_BLOCK, k = MERGED_BLOCK;
   Nodes    nodes;

   for (uint32_t i = 0; i < m->n_images; i++)
      n += m->images[i].n_blocks;
   nodes.image = zalloc(n, sizeof(*nodes.image));
   nodes.block = zalloc(n, sizeof(*nodes.block));
   nodes.new_id = zalloc(n, sizeof(*nodes.new_id));
   nodes.slot = zalloc(m->n_images, sizeof(*nodes.slot));
   for (uint32_t i = 0; i < MERGED_BLOCK; i++) {
      nodes.image[i] = UINT32_MAX;
      nodes.new_id[i] = i;
   }
   for (uint32_t i = 0; i < m->n_images; i++)
      for (uint32_t b = 0; b < m->images[i].n_blocks; b++, k++) {
         nodes.image[k] = i;
         nodes.block[k] = b;
         nodes.new_id[k] = next;
         next += m->images[i].group == NO_GROUP;
      }
   for (uint32_t i = 0; i < m->n_groups; i++)
      for (uint32_t s = 0; s < m->groups[i].n_images; s++)
         nodes.slot[m->groups[i].images[s]] = s;
   return nodes;
}

static void free_nodes(Nodes* nodes)
{
   free(nodes->image);
   free(nodes->block);
   free(nodes->new_id);
   free(nodes->slot);
}

/* Return the group that has a node, or NO_GROUP. */
static uint32_t group_of(const Merged* m, const Nodes* nodes, uint32_t id)
{
   return nodes->image[id] == UINT32_MAX ? NO_GROUP
          : m->images[nodes->image[id]].group;
}

static void loosen_end(const Merged* m, const Nodes* nodes, uint32_t id,
                       uint32_t* image, uint32_t* number)
{
   *image = UINT32_MAX;
   *number = nodes->new_id[id];
   if (group_of(m, nodes, id) == NO_GROUP)
      return;
   *image = nodes->slot[nodes->image[id]];
   *number = nodes->block[id];
}

/* Add edge E with counts C to TO, as group GROUP's first run has them; its
   other runs are the same. */
static void loosen_edge(const Merged* m, const Nodes* nodes, uint32_t group,
                        const MergedEdge* e, const MergedCount* c, Loose* to)
{
   const MergedGroup* g = &m->groups[group];
   const MergedRun*   first = &m->runs[g->runs[0]];
   LooseStep          s = { .step = { .type = e->type,
                                      .passing = passing_of(e->type) } };

   loosen_end(m, nodes, e->source, &s.ends.source_image, &s.ends.source);
   loosen_end(m, nodes, e->target, &s.ends.target_image, &s.ends.target);
   if (e->n_counts == 0) {
      GROW(to->steps, to->n_steps, to->room);
      to->steps[to->n_steps++] = s;
   }
   for (uint32_t i = 0; i < e->n_counts; i++) {
      s.step.thread = c[i].thread;
      s.step.count = count_of(c[i]) / (m->keep ? 1 : g->n_runs);
      if (m->keep && c[i].thread - first->first_thread >= first->n_threads)
         continue;
      if (m->keep)
         s.step.thread -= first->first_thread;
      GROW(to->steps, to->n_steps, to->room);
      to->steps[to->n_steps++] = s;
   }
}

/* Take the edges of groups out of M. */
static void loosen_edges(Merged* m, const Nodes* nodes, Loose* loose)
{
   MergedEdges* edges = &m->edges;
   size_t       n = 0, from = 0, to = 0;

   for (size_t i = 0; i < edges->n; i++) {
      MergedEdge e = edges->all[i];
      uint32_t   group = group_of(m, nodes, e.source);
      if (group == NO_GROUP)
         group = group_of(m, nodes, e.target);
      if (group != NO_GROUP) {
         loosen_edge(m, nodes, group, &e, edges->counts + from,
                     &loose[group]);
      } else {
         memmove(edges->counts + to, edges->counts + from,
                 e.n_counts * sizeof(*edges->counts));
         to += e.n_counts;
         edges->all[n] = e;
         edges->all[n].source = nodes->new_id[e.source];
         edges->all[n++].target = nodes->new_id[e.target];
      }
      from += e.n_counts;
   }
   edges->n = n;
   edges->n_counts = to;
}

static void loosen_images(Merged* m, Loose* loose)
{
   for (uint32_t i = 0; i < m->n_groups; i++) {
      const MergedGroup* g = &m->groups[i];
      loose[i].images = zalloc(g->n_images, sizeof(*loose[i].images));
      loose[i].n_images = g->n_images;
      for (uint32_t k = 0; k < g->n_images; k++) {
         loose[i].images[k] = m->images[g->images[k]];
         set_group(&loose[i].images[k], NO_GROUP);
      }
   }
   drop_groups(m);
}

/*--- Runs one by one                                      ---*/

/* Replay: a run's images and steps of its group, on their way back into M. */
typedef
   struct {
      Addition       adding;
      const Loose* loose;
      uint32_t     first_thread;
   }
   Replay;

static void put_loose(Addition* a, const Renumber* r)
{
   const Replay* replay = (const Replay*)a;

   for (size_t i = 0; i < replay->loose->n_steps; i++) {
      const LooseStep* s = &replay->loose->steps[i];
      MergedStep       step = s->step;
      Ends             ends = s->ends;
      if (ends.source_image != UINT32_MAX)
         ends.source_image = a->place[ends.source_image];
      if (ends.target_image != UINT32_MAX)
         ends.target_image = a->place[ends.target_image];
      step.thread += step.count > 0 ? replay->first_thread : 0;
      put_step(a, r, ends, step);
   }
}

/* Return the image of M, without a file, with this name and TURN others before
   it; UINT32_MAX if there is none. */
static uint32_t find_turn(const Merged* m, const char* name, uint32_t turn)
{
   for (uint32_t i = 0; i < m->n_images; i++)
      if (m->images[i].name == name && turn-- == 0)
         return i;
   return UINT32_MAX;
}

static void replay_run(Merged* m, uint32_t run, const Loose* loose)
{
   Replay  r = { .adding = { .m = m, .path = m->runs[run].path,
                             .images = loose->images,
                             .n_images = loose->n_images, .may_differ = true,
                             .put = put_loose },
                 .loose = loose };
   Addition* a = &r.adding;

   r.first_thread = m->keep ? m->runs[run].first_thread : 0;
   a->place = zalloc(a->n_images, sizeof(*a->place));
   for (uint32_t i = 0; i < a->n_images; i++) {
      set_home(&a->images[i], run);
      a->place[i] = find_turn(m, a->images[i].name, a->images[i].turn);
   }
   unite_images(a);
   free(a->place);
}

void unfold_groups(Merged* m)
{
   Loose*    loose = zalloc(m->n_groups, sizeof(*loose));
   uint32_t* group = zalloc(m->n_runs, sizeof(*group));
   Nodes     nodes;

   if (m->n_groups > 0) {
      nodes = find_nodes(m);
      loosen_edges(m, &nodes, loose);
      loosen_images(m, loose);
      free_nodes(&nodes);
   }
   for (uint32_t i = 0; i < m->n_runs; i++)
      group[i] = NO_GROUP;
   for (uint32_t i = 0; i < m->n_groups; i++)
      for (uint32_t k = 0; k < m->groups[i].n_runs; k++)
         group[m->groups[i].runs[k]] = i;
   for (uint32_t i = 0; i < m->n_runs; i++)
      if (group[i] != NO_GROUP)
         replay_run(m, i, &loose[group[i]]);
   for (uint32_t i = 0; i < m->n_groups; i++) {
      free_images(loose[i].images, loose[i].n_images);
      free(loose[i].steps);
   }
   free(loose);
   free(group);
}
