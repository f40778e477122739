/* SPDX-License-Identifier: GPL-2.0-or-later
   Copyright (C) 2026 the valgrind-dcfg authors

   Coverage for DynamoRIO. */

/* Owns: the drcov format, version 2, which Lighthouse and similar viewers
   read.  Handed: images. */

#include "cmd/export/export.h"

#include <inttypes.h>
#include <stdlib.h>

/* The largest values that a row of the table of blocks can hold. */
#define MAX_SIZE   UINT16_MAX
#define MAX_IMAGES (UINT16_MAX + 1)

static void put_little(FILE* out, uint64_t n, int bytes)
{
   for (; bytes > 0; bytes--, n >>= 8)
      putc((int)(n & 0xFF), out);
}

/* Return how many rows the block takes: one for each MAX_SIZE bytes. */
static uint64_t rows_of(const DcfgNode* n)
{
   return n->size == 0 ? 1 : (n->size + (uint64_t)MAX_SIZE - 1) / MAX_SIZE;
}

static bool is_covered(const Export* x, uint32_t node)
{
   const DcfgNode* n = &x->p->nodes[node];

   return n->image < x->p->n_images && x->chosen[n->image]
          && is_selected(x->selected, node)
          && n->addr - x->p->images[n->image].load_addr <= UINT32_MAX
          && dcfg_node_executions(x->p, node, x->thread) > 0;
}

static void write_drcov(const Export* x)
{
   const DcfgProcess* p = x->p;
   uint32_t*          id = zalloc(p->n_images, sizeof(*id));
   uint32_t           n = 0;
   uint64_t           rows = 0;

   for (uint32_t i = 0; i < p->n_images; i++)
      if (x->chosen[i])
         id[i] = n++;
   if (n > MAX_IMAGES)
      die("a file of drcov has room for %d images", MAX_IMAGES);
   fprintf(x->out, "DRCOV VERSION: 2\nDRCOV FLAVOR: drcov\n"
           "Module Table: version 2, count %" PRIu32 "\n"
           "Columns: id, base, end, entry, path\n", n);
   for (uint32_t i = 0; i < p->n_images; i++)
      if (x->chosen[i])
         fprintf(x->out, "%3" PRIu32 ", 0x%016" PRIx64 ", 0x%016" PRIx64
                 ", 0x%016x, %s\n", id[i], p->images[i].load_addr,
                 p->images[i].load_addr + p->images[i].size, 0,
                 image_path(&x->g, i));
   for (uint32_t i = 0; i < p->n_blocks; i++)
      if (is_covered(x, i))
         rows += rows_of(&p->nodes[i]);
   fprintf(x->out, "BB Table: %" PRIu64 " bbs\n", rows);
   for (uint32_t i = 0; i < p->n_blocks; i++) {
      const DcfgNode* b = &p->nodes[i];
      uint64_t        at, left = b->size;
      if (!is_covered(x, i))
         continue;
      at = b->addr - p->images[b->image].load_addr;
      for (uint64_t k = rows_of(b); k > 0; k--) {
         uint64_t size = left < MAX_SIZE ? left : MAX_SIZE;
         put_little(x->out, at, 4);
         put_little(x->out, size, 2);
         put_little(x->out, id[b->image], 2);
         at += size;
         left -= size;
      }
   }
   free(id);
}

const ExportForm export_form_drcov = {
   .choice = { "drcov",
               "blocks that were executed, as DynamoRIO's drcov writes them; "
               "of all images, without --image", NULL },
   .parts = true,
   .write = write_drcov
};
