/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Hashes of runs. */

/* Owns: hashes for the order of runs with the same process id and
   instructions, and for groups.  Handed: runs by merge_runs.c and
   merge_groups.c. */

#include "cmd/merge/merge_hash.h"

static uint64_t mix(uint64_t h, uint64_t n)
{
   h = (h ^ n) * 0x9e3779b97f4a7c15u;
   return h ^ (h >> 29);
}

static uint64_t mix_text(uint64_t h, const char* s)
{
   for (; *s != 0; s++)
      h = mix(h, (unsigned char)*s);
   return mix(h, 256);
}

uint64_t run_hash(const Program* g)
{
   const DcfgProcess* p = g->p;
   uint64_t           h = mix(0, p->n_threads);

   if (p->part != NULL)
      h = mix(mix(h, p->part->number), p->part->first);
   for (uint32_t i = 0; i < p->n_images; i++) {
      h = mix_text(h, image_file(g, i));
      h = mix(mix(h, p->images[i].load_addr), p->images[i].n_nodes);
      h = mix(mix(h, p->images[i].n_symbols), p->images[i].n_sources);
   }
   for (uint32_t i = 0; i < p->n_images; i++)
      if (p->images[i].instr_sizes != NULL)
         h = mix_text(mix(h, i), p->images[i].instr_sizes);
   for (uint32_t i = 0; i < p->n_symbols; i++)
      h = mix(mix_text(h, p->symbols[i].name), p->symbols[i].addr);
   for (uint32_t i = 0; i < p->n_sources; i++)
      h = mix(mix(mix(h, p->sources[i].addr), p->sources[i].line),
              p->sources[i].size);
   for (uint32_t i = 0; i < p->n_blocks; i++)
      h = mix(mix(h, p->nodes[i].addr), p->nodes[i].n_instrs);
   for (uint32_t i = 0; i < p->n_edges; i++) {
      h = mix(mix(mix(h, p->edges[i].source), p->edges[i].target),
              p->edges[i].type);
      for (uint32_t t = 0; t < p->n_threads; t++)
         h = mix(h, dcfg_edge_count(p, i, t));
   }
   return h;
}

/*--- Code without a file                                  ---*/

static uint64_t mix_image(uint64_t h, const MergedImage* im)
{
   h = mix(mix(mix_text(h, im->name), im->number), im->turn);
   h = mix(mix(h, im->load), im->size);
   h = mix(mix(h, im->n_blocks), im->n_symbols);
   for (uint32_t i = 0; i < im->n_blocks; i++) {
      const MergedBlock* b = &im->blocks[i];
      h = mix(mix(mix(h, b->offset), b->size), b->n_instrs);
      h = mix(mix(h, b->last_offset), b->enters);
   }
   for (uint32_t i = 0; i < im->n_symbols; i++)
      h = mix(mix_text(h, im->symbols[i].name), im->symbols[i].offset);
   if (im->sizes != NULL)
      h = mix_text(h, im->sizes);
   for (uint32_t i = 0; i < im->n_rows; i++)
      h = mix(mix(h, im->rows[i].offset), im->rows[i].line);
   return h;
}

/* Mix in an end of an edge: the end of a block if SOURCE, else its begin. */
static uint64_t mix_end(uint64_t h, const Program* g,
                        const MergedImage* images, uint32_t node, bool source)
{
   const DcfgNode*    n = &g->p->nodes[node];
   const MergedImage* im;

   if (n->kind != DCFG_NODE_BLOCK)
      return mix(h, n->kind);
   im = &images[n->image];
   h = mix(mix_text(h, im->name), im->turn);
   return mix(h, n->addr - im->load + (source ? n->last_offset : 0));
}

static bool is_apart(const Program* g, const MergedImage* images,
                     const uint32_t* number, uint32_t node)
{
   const DcfgNode* n = &g->p->nodes[node];

   return n->kind == DCFG_NODE_BLOCK && number[node] != UINT32_MAX
          && !has_file(&images[n->image]);
}

uint64_t group_hash(const Program* g, const MergedImage* images,
                    const uint32_t* number)
{
   const DcfgProcess* p = g->p;
   uint64_t           h = mix(1, p->n_threads);

   for (uint32_t i = 0; i < p->n_images; i++)
      if (!has_file(&images[i]))
         h = mix_image(h, &images[i]);
   for (uint32_t i = 0; i < p->n_edges; i++) {
      const DcfgEdge* e = &p->edges[i];
      if (!is_apart(g, images, number, e->source)
          && !is_apart(g, images, number, e->target))
         continue;
      h = mix_end(h, g, images, e->source, true);
      h = mix(mix_end(h, g, images, e->target, false), e->type);
      for (uint32_t t = 0; t < e->n_counts; t++)
         h = mix(h, dcfg_edge_count(p, i, t));
   }
   return h;
}
